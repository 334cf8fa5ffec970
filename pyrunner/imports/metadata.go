package imports

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Metadata is a script's PEP 723 block.
type Metadata struct {
	Line           int      `json:"line"` // where the block starts
	RequiresPython string   `json:"requires_python,omitempty"`
	Dependencies   []string `json:"dependencies"`
}

// A MetadataError reports a PEP 723 block that uv would refuse.
type MetadataError struct {
	Line    int // of the script
	Message string
}

func (e *MetadataError) Error() string {
	return fmt.Sprintf("line %d: script metadata (PEP 723): %s", e.Line, e.Message)
}

const opening = "# /// script"

// parseMetadata finds the block as uv does: by lines, whatever Python takes them for, so that a
// block inside a string counts too.
func parseMetadata(source []byte, version []int) (*Metadata, error) {
	lines := splitLines(bytes.TrimPrefix(source, []byte("\xef\xbb\xbf")))
	start := -1
	for i, line := range lines {
		if line == opening {
			start = i
			break
		}
	}
	if start < 0 {
		return nil, nil
	}
	content, end := blockContent(lines[start+1:])
	if end < 0 {
		return nil, &MetadataError{start + 1, "the block has no closing line \"# ///\""}
	}
	for i, line := range lines[start+2+end:] {
		if line == opening {
			return nil, &MetadataError{start + 2 + end + i + 1, fmt.Sprintf("a second block; the first is at line %d", start+1)}
		}
	}
	return decodeMetadata(content, start+1, version)
}

// splitLines splits at \n, \r\n and \r.
func splitLines(source []byte) []string {
	text := strings.ReplaceAll(string(source), "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

// blockContent returns the text between the opening line and the last "# ///" of the comment
// lines that follow it, and that line's index; -1 when there is none.
func blockContent(lines []string) (string, int) {
	var content []string
	end := -1
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "#")
		if !ok || rest != "" && rest[0] != ' ' {
			break
		}
		rest = strings.TrimPrefix(rest, " ")
		if rest == "///" {
			end = i
		}
		content = append(content, rest)
	}
	if end < 0 {
		return "", -1
	}
	return strings.Join(content[:end], "\n"), end
}

func decodeMetadata(content string, line int, version []int) (*Metadata, error) {
	if !utf8.ValidString(content) {
		return nil, &MetadataError{line, "the block is not UTF-8"}
	}
	var block struct {
		RequiresPython *string  `toml:"requires-python"`
		Dependencies   []string `toml:"dependencies"`
	}
	if _, err := toml.Decode(content, &block); err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return nil, &MetadataError{line + max(parse.Position.Line, 1), "not valid TOML: " + parse.Message}
		}
		return nil, &MetadataError{line, "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	}
	found := &Metadata{Line: line, Dependencies: block.Dependencies}
	if block.RequiresPython == nil {
		return found, nil
	}
	found.RequiresPython = *block.RequiresPython
	at := line + 1 + strings.Count(content[:max(0, strings.Index(content, "requires-python"))], "\n")
	fits, err := meets(version, found.RequiresPython)
	if err != nil {
		return nil, &MetadataError{at, "requires-python: " + err.Error()}
	}
	if !fits {
		return nil, &MetadataError{at, fmt.Sprintf("requires-python %q is not met by Python %s", found.RequiresPython, dotted(version))}
	}
	return found, nil
}

func dotted(version []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(version), " ", "."), "[]")
}
