package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// An Error reports that an endpoint gave no reply. It never holds the key.
type Error struct {
	Status   int    // of HTTP, or the one that an answer with status 200 named inside; 0: there was no answer
	Endpoint string // the base URL
	Model    string // as it was asked for there
	Message  string // what happened, in one paragraph
	Hint     string // what may mend it; "" if there is nothing to say
	cause    error
}

// Error says what happened and where, and on a line of its own what may mend it.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s at %s: ", e.Model, e.Endpoint)
	if e.Status > 0 {
		fmt.Fprintf(&b, "%s: ", statusText(e.Status))
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("\n" + e.Hint)
	}
	return b.String()
}

// Unwrap returns what kept the request from being answered; nil if it was answered.
func (e *Error) Unwrap() error { return e.cause }

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// A fault is one attempt's failure, and what is to be done about it.
type fault struct {
	err                *Error
	retry              bool          // the same request may yet succeed
	wait               time.Duration // what the endpoint asked for; below 0: it did not say
	refusesTemperature bool
}

// refused is the fault of an endpoint that answered.
func (c *Client) refused(status int, header http.Header, f *refusal) *fault {
	if status < 400 && f.status() > 0 {
		status = f.status()
	}
	return &fault{
		err: &Error{
			Status:   status,
			Endpoint: c.endpoint.BaseURL,
			Model:    c.endpoint.Model,
			Message:  c.endpoint.shown(f.message),
			Hint:     c.hint(status, f),
		},
		retry:              isPassing(status) && f.code != "insufficient_quota",
		wait:               retryAfter(header, c.now()),
		refusesTemperature: (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && f.refusesTemperature(),
	}
}

// isPassing reports whether a status may be another one the next time.
func isPassing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// hint says what may mend a refusal.
func (c *Client) hint(status int, f *refusal) string {
	e := c.endpoint
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return e.keyHint(status)
	case status == http.StatusPaymentRequired || f.code == "insufficient_quota":
		return "The account behind the key has no credit left; add some, or use another endpoint or key."
	case status == http.StatusNotFound:
		return fmt.Sprintf("Is there a model %q at %s? Choose one with --model or %s. Is the address right? %s",
			e.Model, e.BaseURL, varModel, e.addressHint())
	case status == http.StatusRequestEntityTooLarge:
		return "The conversation has become too long for this endpoint."
	case status == http.StatusTooManyRequests:
		return "The endpoint limits how often it may be asked; try again later."
	case status >= 300 && status < 400:
		return "The redirect was not followed, since it would take the conversation elsewhere. " + e.addressHint()
	case status >= 500:
		return "The endpoint is in trouble; try again later, or use another one."
	}
	return ""
}

func (e Endpoint) keyHint(status int) string {
	switch {
	case e.Key == "":
		return fmt.Sprintf("No key was sent; if this endpoint wants one, set %s.", varOpenAIKey)
	case e.KeyFrom == "":
		return "The key was not accepted."
	case status == http.StatusForbidden:
		return fmt.Sprintf("The key came from %s; check that it may use this model.", e.KeyFrom)
	}
	return fmt.Sprintf("The key came from %s; check that it is whole, current, and made for this endpoint.", e.KeyFrom)
}

func (e Endpoint) addressHint() string {
	if e.BaseURLFrom == "" {
		return fmt.Sprintf("Set %s to use another.", varBaseURL)
	}
	return fmt.Sprintf("It came from %s and usually ends in /v1.", e.BaseURLFrom)
}

// unanswered is the fault of a request that got no answer, or only part of one.
func (c *Client) unanswered(err error) *fault {
	e := c.endpoint
	f := &fault{
		err:   &Error{Endpoint: e.BaseURL, Model: e.Model, Message: e.shown(plainCause(err)), cause: err},
		retry: true,
		wait:  -1,
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, errTimeout):
		f.retry = false
		f.err.Hint = "The endpoint takes too long; try a smaller or faster model."
	case errors.Is(err, errTooLarge):
		f.retry = false
	case isCertificate(err):
		f.retry = false
		f.err.Hint = "The connection cannot be trusted. " + e.addressHint()
	case errors.As(err, &dns) && dns.IsNotFound:
		f.retry = false
		f.err.Hint = "There is no such host. " + e.addressHint()
	case errors.Is(err, syscall.ECONNREFUSED):
		f.err.Hint = "Nothing listens there: is the server running? " + e.addressHint()
	}
	return f
}

// isCertificate reports whether TLS failed in a way that lasts.
func isCertificate(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		host         x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// plainCause is a network error without the method and URL in front of it.
func plainCause(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err.Error()
}
