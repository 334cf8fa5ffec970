package imports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// The helper's answers: one line of JSON each. The request is a line with the lengths of its
// parts, then the parts; so source of any bytes passes through unchanged.

type hello struct {
	Version  string   `json:"version"`
	Platform string   `json:"platform"`
	Stdlib   []string `json:"stdlib"`
	Code     string   `json:"code"` // the helper's, marshalled, in hexadecimal; from one that was given its source
}

type facts struct {
	Failed  string                 `json:"failed"`
	Syntax  *Syntax                `json:"syntax"`
	Places  bool                   `json:"places"`  // a folder was looked for that the script names
	Modules map[string]*moduleFact `json:"modules"` // by path; the script's own is ""
}

type moduleFact struct {
	Imports  []importFact `json:"imports"`
	Groups   []bool       `json:"groups"` // by number: is this try statement surely about imports?
	Uses     []useFact    `json:"uses"`
	Texts    []string     `json:"texts"`
	Fixtures []string     `json:"fixtures"`
}

type importFact struct {
	Module string   `json:"m"`
	Names  []string `json:"n"` // of "from Module import Names"
	Level  int      `json:"v"` // dots of a relative import
	Line   int      `json:"l"`
	Path   [][2]int `json:"p"` // the try statements around it: group, branch (0: the body)
	How    string   `json:"h"`
	Kind   string   `json:"k"` // "": not beside the script; local, folder, self
	Files  []string `json:"f"` // the local files that the import runs
}

type useFact struct {
	Name string             `json:"f"`
	Line int                `json:"l"`
	Call bool               `json:"c"`
	Args []*string          `json:"a"` // nil: only the running script knows
	Keys map[string]*string `json:"k"`
}

const maxAnswer = 64 << 20

var errAnswerTooLong = errors.New("the helper's answer is too long")

func encodeRequest(in Input) []byte {
	parts := append([]string{in.Name, string(in.Source)}, in.Dirs...)
	var b bytes.Buffer
	for i, part := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(len(part)))
	}
	b.WriteByte('\n')
	for _, part := range parts {
		b.WriteString(part)
	}
	return b.Bytes()
}

// decodeAnswer reads one line into v, and no more than maxAnswer bytes of it.
func decodeAnswer(r *bufio.Reader, v any) error {
	var line []byte
	for {
		chunk, err := r.ReadSlice('\n')
		line = append(line, chunk...)
		if len(line) > maxAnswer {
			return errAnswerTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		break
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("reading the helper's answer: %w", err)
	}
	return nil
}
