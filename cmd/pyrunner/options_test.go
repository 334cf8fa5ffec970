package main

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		check func(options) bool
	}{
		"script":          {[]string{"s.py"}, func(o options) bool { return o.script == "s.py" && o.verb == "" }},
		"code":            {[]string{"-c", "x"}, func(o options) bool { return o.inCode && o.code == "x" }},
		"empty code":      {[]string{"-c", ""}, func(o options) bool { return o.inCode }},
		"standard input":  {[]string{"-"}, func(o options) bool { return o.script == "-" }},
		"dash name":       {[]string{"--", "-s.py"}, func(o options) bool { return o.script == "-s.py" }},
		"verb":            {[]string{"deps", "s.py", "--names"}, func(o options) bool { return o.verb == "deps" && o.names && o.script == "s.py" }},
		"named as a verb": {[]string{"./deps"}, func(o options) bool { return o.verb == "" && o.script == "./deps" }},
		"with":            {[]string{"--with", "a>=1,<2", "--with=b", "s"}, func(o options) bool { return strings.Join(o.with, "|") == "a>=1,<2|b" }},
		"seconds":         {[]string{"--timeout", "1.5", "s"}, func(o options) bool { return time.Duration(o.timeout) == 1500*time.Millisecond }},
		"duration":        {[]string{"--timeout", "2m", "s"}, func(o options) bool { return time.Duration(o.timeout) == 2*time.Minute }},
		"no limit":        {[]string{"--timeout", "0", "s"}, func(o options) bool { return o.config().Timeout < 0 }},
		"default limit":   {[]string{"s"}, func(o options) bool { return o.config().Timeout == time.Minute }},
	} {
		o, err := parse(test.args)
		if err != nil || !test.check(o) {
			t.Errorf("%s: got %+v, %v", name, o, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range [][]string{
		{}, {""}, {"a", "b"}, {"-c", "x", "b"}, {"s.py", "--json"}, {"--bad"}, {"--timeout", "-1", "s"}, {"--timeout", "x", "s"},
		{"mcp", "x"}, {"bench", "-c", "x"}, {"deps"}, {"--save", "x", "s.py"}, {"--max-output", "x", "s"}, {"--timeout", "NaN", "s"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q: got no error", args)
		}
	}
}

// Whatever is typed, parse answers without a panic, and never takes an argument
// for the script's.
func FuzzParse(f *testing.F) {
	f.Add("-c\x00x")
	f.Add("deps\x00s.py\x00--json")
	f.Add("--timeout\x001e400\x00s")
	f.Fuzz(func(t *testing.T, line string) {
		o, err := parse(strings.Split(line, "\x00"))
		if err == nil && !o.version && o.verb == "" && !o.inCode && o.script == "" {
			t.Errorf("%q: nothing to run", line)
		}
		if o.timeout < 0 {
			t.Errorf("%q: time limit %v", line, o.timeout)
		}
	})
}
