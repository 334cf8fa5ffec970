// Package provider asks a model at an OpenAI-compatible endpoint. It chooses
// the endpoint from the environment, sends each request as exactly the bytes it
// built, keeps the reply's message as the endpoint sent it, and retries what
// may yet succeed.
//
//	endpoint, err := provider.Resolve(os.LookupEnv, "")
//	client, err := provider.New(provider.Config{Endpoint: endpoint})
//	reply, err := client.Complete(ctx, request, notify)
//
// # What goes over the wire
//
// A request is one JSON object with the members model, messages, tools (if there
// are any) and temperature (unless the endpoint refuses it), in this order and
// without white space. The messages of a later request with the same system
// prompt and a longer history begin with the very bytes of the earlier one, so
// that an endpoint can keep what it computed for them.
//
// No message goes out with an empty content, which strict endpoints refuse: a
// placeholder in parentheses stands for it.
//
// # What comes back
//
// The assistant message goes back as it came, members that this program does not
// know included (reasoning, signatures). It is mended only where sending it
// back would be refused, and so would spoil every later request:
//
//   - a call without an id, or with one that the conversation has already, gets
//     an id of its own, the same in Message.Calls and Message.Raw;
//   - arguments that are not a JSON object are {} in Raw, while Call.Arguments
//     keeps what the model wrote, for the tool result to say what is wrong;
//   - a tool name with characters that no tool name has is cleaned in Raw, while
//     Call.Name keeps it;
//   - an empty list of calls is left out, and a message with neither text nor
//     calls has a placeholder as its content.
//
// # Keys
//
// A key is sent in the Authorization header of a request to its own endpoint
// and is nowhere else: no error, notice or formatted value holds it, and no
// redirect to another origin is followed.
package provider
