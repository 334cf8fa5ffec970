package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	maxAnswer      = 64 << 20 // bytes of an answer
	maxRedirects   = 3
	dialTimeout    = 10 * time.Second
	requestTimeout = 10 * time.Minute // for one attempt, to the last byte of its answer
)

var (
	errTimeout  = fmt.Errorf("no whole answer within %v", requestTimeout)
	errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
)

// An exchange is one request as it goes out and its answer as it comes in. It
// travels in the context, through the typed client, to the wire below it.
type exchange struct {
	body   []byte // sent in place of what the typed client wrote
	status int    // of the answer; 0: none came
	header http.Header
	answer []byte
	err    error // the answer could not be read to its end
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// A wire is the typed client's HTTP client. The typed client cannot say all
// that has to be said (it drops empty texts, a temperature of 0 and members it
// does not know) and refuses models by name; so the wire sends the exchange's
// body instead, and keeps the answer's bytes.
type wire struct {
	client *http.Client
	limit  int64 // bytes of an answer
}

func newWire(transport http.RoundTripper) *wire {
	return &wire{client: &http.Client{Transport: transport, CheckRedirect: checkRedirect}, limit: maxAnswer}
}

// newTransport is the standard one with a shorter time for making a connection.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          10,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// checkRedirect lets a redirect be followed within one origin, as the same
// POST. Any other would hand the conversation, and perhaps the key, to a
// stranger, or lose the body; the answer is then the redirect itself.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || next.Method != first.Method ||
		next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// Do sends the exchange that the request's context holds.
func (w *wire) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request that did not come from this package")
	}
	req.Header.Set("User-Agent", "staged-agent")
	req.ContentLength = int64(len(x.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.Body, _ = req.GetBody()

	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	x.answer, x.err = io.ReadAll(io.LimitReader(resp.Body, w.limit+1))
	if x.err == nil && int64(len(x.answer)) > w.limit {
		x.err = errTooLarge
	}
	if x.err != nil {
		return nil, x.err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.answer))
	return resp, nil
}
