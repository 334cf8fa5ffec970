package provider

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/staged-agent/staged-agent/agent"
)

const (
	maxRetries = 3
	firstWait  = 500 * time.Millisecond // before the first retry; twice as long before each further one
	maxWait    = 60 * time.Second       // longer than this no endpoint is waited for
)

// waitFor is how long to wait before a retry, and whether to wait at all: an
// endpoint that asks for more than maxWait is not asked again.
func (c *Client) waitFor(f *fault, retries int) (time.Duration, bool) {
	if f.wait > maxWait {
		return f.wait, false
	}
	backoff := firstWait << retries
	backoff += time.Duration(c.jitter() * float64(backoff) / 2) // up to half as much again
	return max(f.wait, backoff), true
}

// pause tells the person of a retry, and waits for it. It returns the
// context's error if that ends first.
func (c *Client) pause(ctx context.Context, f *fault, wait time.Duration, retries int, notify func(agent.Notice)) error {
	what := f.err.Message
	if f.err.Status > 0 {
		what = statusText(f.err.Status) + ": " + what
	}
	notify(agent.Notice{
		Kind: agent.NoticeRetry,
		Text: fmt.Sprintf("%s (retry %d of %d in %s)", what, retries+1, maxRetries, wait.Round(100*time.Millisecond)),
	})
	return c.sleep(ctx, wait)
}

// sleep waits, or returns the context's error if that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// retryAfter reads the header's wait, given in seconds or as a date; below 0
// if there is none that can be read.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(seconds >= 0) { // NaN, too
			return -1
		}
		return time.Duration(min(seconds, 1e9) * float64(time.Second))
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(date.Sub(now), 0)
	}
	return -1
}
