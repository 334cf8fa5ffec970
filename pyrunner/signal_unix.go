//go:build unix

package pyrunner

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName names the signal that ended a script. uv passes signal n on as
// status 128+n.
func signalName(st status) string {
	n := st.Signal
	if n == 0 && st.Code > 128 {
		n = st.Code - 128
	}
	return unix.SignalName(syscall.Signal(n))
}
