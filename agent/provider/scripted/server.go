package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config is what a Server works with.
type Config struct {
	Script Script
	Files  fs.FS  // what {"$file": …} reads; nil: nothing
	Key    string // wanted in the Authorization header; "": none may be sent
}

// A Server is a scripted model behind HTTP. It answers one conversation: its
// place in the script moves with each reply.
type Server struct {
	cfg      Config
	listener net.Listener
	http     *http.Server

	mu       sync.Mutex
	next     int             // index into the replies
	offered  map[string]bool // tools of all requests so far
	made     map[string]bool // tools of the calls made here, offered or not
	requests [][]byte
}

// maxBody is how many bytes a request may have.
const maxBody = 64 << 20

// New checks a Config.
func New(cfg Config) (*Server, error) {
	if err := cfg.Script.check(); err != nil {
		return nil, fmt.Errorf("scripted: %w", err)
	}
	return &Server{cfg: cfg, offered: map[string]bool{}, made: map[string]bool{}}, nil
}

// Start listens on a free loopback port and serves in the background.
func (s *Server) Start() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the scripted model's server: %w", err)
	}
	s.listener = listener
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(listener) // ends with Close
	return nil
}

// URL is the base URL that a client takes, once the server has started.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Close stops the server.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close()
	}
	return nil
}

// Requests returns the bodies of all requests so far, as they came.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client is gone, or far beyond what it may send
	}
	answer, err := s.answer(r, body)
	var no *refusal
	switch {
	case errors.As(err, &no):
		writeJSON(w, no.status, map[string]any{"error": map[string]any{
			"message": no.message, "type": "invalid_request_error", "param": no.param, "code": nil}})
	case err != nil:
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "the script: " + err.Error(), "type": "script_error"}})
	case answer.refuse != nil:
		for name, value := range answer.refuse.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(answer.refuse.Status)
		_, _ = io.WriteString(w, answer.refuse.Body) // a client that is gone misses nothing
	default:
		writeJSON(w, http.StatusOK, answer.body)
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(body) // a client that is gone misses nothing
}

type answer struct {
	body   map[string]any
	refuse *Refuse
}

// answer judges a request and takes the next reply that fits.
func (s *Server) answer(r *http.Request, body []byte) (answer, error) {
	if err := s.checkHTTP(r); err != nil {
		return answer{}, err
	}
	req, err := parse(body)
	if err != nil {
		return answer{}, err
	}
	if err := s.check(req); err != nil {
		return answer{}, err
	}
	s.requests = append(s.requests, body)
	reply, err := s.take(req)
	if err != nil || reply.Refuse != nil {
		return answer{refuse: reply.Refuse}, err
	}
	message, err := s.message(reply, results(req))
	if err != nil {
		return answer{}, err
	}
	reason := "stop"
	if len(reply.Calls) > 0 {
		reason = "tool_calls"
	}
	out := map[string]any{
		"id":      fmt.Sprintf("chatcmpl-scripted-%d", len(s.requests)),
		"object":  "chat.completion",
		"created": time.Now().Unix(),
		"model":   s.cfg.Script.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": reason}},
	}
	if u := reply.Usage; u != nil {
		out["usage"] = map[string]any{"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion}
	}
	return answer{body: out}, nil
}

// checkHTTP refuses what is wrong before the body is read.
func (s *Server) checkHTTP(r *http.Request) error {
	key := r.Header.Get("Authorization")
	switch {
	case r.URL.Path != "/v1/chat/completions":
		return &refusal{status: http.StatusNotFound, message: "Unknown request URL: " + r.Method + " " + r.URL.Path}
	case r.Method != http.MethodPost:
		return &refusal{status: http.StatusMethodNotAllowed, message: "want POST"}
	case s.cfg.Key == "" && key != "":
		return &refusal{status: http.StatusUnauthorized, message: "a key was sent that nobody asked for"}
	case s.cfg.Key != "" && key != "Bearer "+s.cfg.Key:
		return &refusal{status: http.StatusUnauthorized, message: "Incorrect API key provided: " + strings.TrimPrefix(key, "Bearer ")}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return bad("", "Content-Type: want application/json")
	}
	return nil
}

// check refuses a request as a strict endpoint does.
func (s *Server) check(req request) error {
	if req.Model != s.cfg.Script.Model {
		return &refusal{status: http.StatusNotFound, message: fmt.Sprintf("The model %q does not exist", req.Model), param: "model"}
	}
	if req.Temperature != nil {
		var t float64
		if json.Unmarshal(req.Temperature, &t) != nil || t < 0 || t > 2 {
			return bad("temperature", "temperature: want a number from 0 to 2")
		}
		if s.cfg.Script.RefusesTemperature {
			return bad("temperature", "Unsupported parameter: 'temperature' is not supported with this model.")
		}
	}
	if err := req.checkTools(); err != nil {
		return err
	}
	for _, t := range req.Tools {
		s.offered[t.Function.Name] = true
	}
	return req.checkMessages(func(c toolCall) bool {
		return s.offered[c.Function.Name] || s.made[c.Function.Name]
	})
}

// take is the next reply that a request can be given.
func (s *Server) take(req request) (Reply, error) {
	for i := s.next; i < len(s.cfg.Script.Replies); i++ {
		reply := s.cfg.Script.Replies[i]
		fits := !slices.ContainsFunc(reply.Calls, func(c Call) bool { return !req.offers(c.Tool) })
		if fits || reply.Stray {
			s.next = i + 1
			return reply, nil
		}
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Function.Name)
	}
	return Reply{}, fmt.Errorf("no reply is left for the tools %s", strings.Join(names, ", "))
}

// message is a reply as the assistant message of an answer.
func (s *Server) message(reply Reply, results map[string]string) (map[string]any, error) {
	m := map[string]any{"role": "assistant", "content": nil}
	if reply.Content != "" {
		m["content"] = reply.Content
	}
	var calls []any
	for _, c := range reply.Calls {
		arguments, err := c.arguments(s.cfg.Files, results)
		if err != nil {
			return nil, err
		}
		s.made[c.Tool], s.made[notNamed.ReplaceAllString(c.Tool, "_")] = true, true
		calls = append(calls, map[string]any{"id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Tool, "arguments": arguments}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m, nil
}

// results are the tool results of a conversation, by the ids of their calls.
func results(req request) map[string]string {
	texts := map[string]string{}
	for _, m := range req.Messages {
		if m.Role == "tool" {
			var text string
			_ = json.Unmarshal(m.Content, &text) // checked to be a string
			texts[m.ToolCallID] = text
		}
	}
	return texts
}
