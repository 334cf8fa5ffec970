package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/staged-agent/staged-agent/agent"
)

// Config says what a Client is made of.
type Config struct {
	Endpoint  Endpoint          // usually from Resolve
	Transport http.RoundTripper // nil: one with a time limit of 10 s for a connection, and the environment's proxy
}

// A Client asks one endpoint. It is safe for concurrent use; what it has
// learned about the endpoint it keeps for its life.
type Client struct {
	endpoint  Endpoint
	api       *openai.Client
	wire      *wire
	timeout   time.Duration // of one attempt
	noTemp    atomic.Bool   // the endpoint refuses temperature (A8)
	now       func() time.Time
	jitter    func() float64 // at least 0, below 1
	sleep     func(context.Context, time.Duration) error
	ownedIdle func() // closes the idle connections of a transport that is ours
}

var _ agent.Model = (*Client)(nil)

// New makes a Client. It reports every bad field at once; it sends nothing.
func New(config Config) (*Client, error) {
	e := config.Endpoint
	var errs []error
	if problem := addressProblem(e.BaseURL); problem != "" {
		errs = append(errs, fmt.Errorf("the endpoint's address: %s", problem))
	}
	if e.Model == "" {
		errs = append(errs, errors.New("the endpoint's model is not set"))
	}
	if !isHeaderText(e.Key) {
		errs = append(errs, errors.New("the endpoint's key holds a character that no key has"))
	}
	if e.Temperature != nil && temperatureProblem(*e.Temperature) != "" {
		errs = append(errs, fmt.Errorf("the endpoint's temperature: %s", temperatureProblem(*e.Temperature)))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	c := &Client{
		endpoint:  e,
		timeout:   requestTimeout,
		now:       time.Now,
		jitter:    rand.Float64,
		sleep:     sleep,
		ownedIdle: func() {},
	}
	transport := config.Transport
	if transport == nil {
		own := newTransport()
		transport, c.ownedIdle = own, own.CloseIdleConnections
	}
	c.wire = newWire(transport)
	settings := openai.DefaultConfig(e.Key)
	settings.BaseURL = e.BaseURL
	settings.HTTPClient = c.wire
	c.api = openai.NewClientWithConfig(settings)
	return c, nil
}

// Endpoint says where the Client asks.
func (c *Client) Endpoint() Endpoint { return c.endpoint }

// Close closes connections that are kept for later requests. A request under
// way goes on, and a later one opens a connection anew. A Transport from
// Config is left alone.
func (c *Client) Close() { c.ownedIdle() }

// Format prints the endpoint for every verb, so that no verb prints the key.
func (c *Client) Format(s fmt.State, verb rune) {
	_, _ = io.WriteString(s, "client of ") // fmt reports its own writer's errors
	c.endpoint.Format(s, verb)
}

// Complete implements agent.Model. Its error is an *Error, or wraps the
// context's if that ended first.
func (c *Client) Complete(ctx context.Context, r agent.Request, notify func(agent.Notice)) (agent.Reply, error) {
	temperature := c.endpoint.Temperature
	if c.noTemp.Load() {
		temperature = nil
	}
	withheld := false // the temperature, from this request only
	for retries := 0; ; {
		reply, f, err := c.attempt(ctx, r, temperature)
		switch {
		case ctx.Err() != nil:
			return agent.Reply{}, fmt.Errorf("asking model %s at %s: %w", c.endpoint.Model, c.endpoint.BaseURL, ctx.Err())
		case err != nil:
			return agent.Reply{}, err
		case f == nil:
			if withheld {
				c.learnNoTemperature(notify)
			}
			return reply, nil
		case f.refusesTemperature && temperature != nil:
			temperature, withheld = nil, true
			continue
		case !f.retry || retries == maxRetries:
			return agent.Reply{}, f.final(retries)
		}
		wait, ok := c.waitFor(f, retries)
		if !ok {
			f.err.Message += fmt.Sprintf(" (the endpoint asks for a wait of %s, and no wait is longer than %s)", wait.Round(time.Second), maxWait)
			return agent.Reply{}, f.final(retries)
		}
		if err := c.pause(ctx, f, wait, retries, notify); err != nil {
			return agent.Reply{}, fmt.Errorf("waiting to ask model %s at %s again: %w", c.endpoint.Model, c.endpoint.BaseURL, err)
		}
		retries++
	}
}

// learnNoTemperature remembers that the endpoint took a request only without a
// temperature, and says so once.
func (c *Client) learnNoTemperature(notify func(agent.Notice)) {
	if c.noTemp.Swap(true) {
		return
	}
	notify(agent.Notice{
		Kind: agent.NoticeLearned,
		Text: fmt.Sprintf("%s refuses a temperature for %s; it is left out from now on", c.endpoint.BaseURL, c.endpoint.Model),
	})
}

// attempt sends a request once. A fault is for the caller to judge; an error
// says that the request could not even be written.
func (c *Client) attempt(ctx context.Context, r agent.Request, temperature *float64) (agent.Reply, *fault, error) {
	body, err := requestBody(c.endpoint.Model, r, temperature)
	if err != nil {
		return agent.Reply{}, nil, err
	}
	x := &exchange{body: body}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	defer cancel()
	// The model's name is a neutral one: the typed client refuses some by name,
	// and what it writes is not sent. What it makes of a whole answer is not
	// needed either, so that an answer it cannot read does no harm.
	_, err = c.api.CreateChatCompletion(withExchange(ctx, x), openai.ChatCompletionRequest{Model: "model"})
	switch {
	case x.status == 0 || x.err != nil:
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return agent.Reply{}, c.unanswered(err), nil
	case x.status < 200 || x.status > 299:
		return agent.Reply{}, c.refused(x.status, x.header, readRefusal(x.answer)), nil
	}
	reply, refusal := readReply(x.answer, r.History)
	if refusal != nil {
		return agent.Reply{}, c.refused(x.status, x.header, refusal), nil
	}
	return reply, nil, nil
}

// final is the error of the last attempt.
func (f *fault) final(retries int) error {
	switch {
	case retries == 1:
		f.err.Message += " (after 1 retry)"
	case retries > 1:
		f.err.Message += fmt.Sprintf(" (after %d retries)", retries)
	}
	return f.err
}
