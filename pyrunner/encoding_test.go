package pyrunner

import (
	"errors"
	"testing"
)

// What the verdict says of an encoding is what Python does with the file.
func TestEncodings(t *testing.T) { // issue 4 point 1, pipreqs#551
	inTemp(t, 0)
	r := newRunner(t, Config{})
	for source, line := range map[string]int{
		"# caf\xe9\nprint(1)\n":                                    1,
		"print(1)\n# caf\xe9\n":                                    2,
		"print('caf\xe9')\n":                                       1,
		"# coding: utf8\n'caf\xe9'\n":                              1, // the codec names no line
		"# coding: latin-1\n# caf\xe9\nprint(1)\n":                 0,
		"#!/usr/bin/python\n# -*- coding: cp1252 -*-\n# caf\xe9\n": 0,
		"\n# vim: set fileencoding=latin1 :\n# caf\xe9\n":          0,
		"print(1)\n# coding: latin-1\n# caf\xe9\n":                 3, // too late
		"# caf\xc3\xa9\nprint(1)\n":                                0,
		"# \xed\xa0\x80 is half a character\n":                     1,
	} {
		_, err := r.Run(t.Context(), Job{Source: source})
		var syntax *SyntaxError
		if errors.As(err, &syntax) != (line > 0) || line > 0 && syntax.Line != line {
			t.Errorf("%q: got %v, want a syntax error in line %d", source, err, line)
		}
	}
}
