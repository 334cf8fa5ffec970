package imports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// To compile the helper takes Python longer than to start and to read a script
// together. So its code is kept in Config.CacheDir, as Python keeps that of a
// module: one file for each interpreter, which holds the SHA-256 of the rest and
// then the marshalled code. It is made anew when it is missing or broken.
const maxBytecode = 4 << 20

// bytecodePath is the file for an interpreter as it is now; "" for none.
func bytecodePath(dir, python, program string) string {
	info, err := os.Stat(python)
	if dir == "" || err != nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d\x00%s\x00%s", python, info.Size(), info.ModTime().UnixNano(), bootstrap, program))
	return filepath.Join(dir, "helper-"+hex.EncodeToString(sum[:16]))
}

// readBytecode returns the marshalled code, nil if there is none that is whole.
func readBytecode(path string) []byte {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBytecode {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil || len(content) <= sha256.Size {
		return nil
	}
	sum := sha256.Sum256(content[sha256.Size:])
	if !bytes.Equal(sum[:], content[:sha256.Size]) {
		return nil
	}
	return content[sha256.Size:]
}

// writeBytecode keeps the code that the helper has sent. That it cannot be kept
// costs time only.
func writeBytecode(path, code string) {
	content, err := hex.DecodeString(code)
	if path == "" || err != nil || len(content) == 0 || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "helper-*.new")
	if err != nil {
		return
	}
	sum := sha256.Sum256(content)
	_, err = temp.Write(append(sum[:], content...))
	if closeErr := temp.Close(); err == nil && closeErr == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
}
