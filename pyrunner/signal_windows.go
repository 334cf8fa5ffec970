package pyrunner

// signalName returns "": Windows knows no signals.
func signalName(status) string { return "" }
