// Package examples holds the example tasks, embedded: what the demo runs, and what tests read.
//
//	task, err := examples.Files.ReadFile("downloads/task.json")
//
// Each task is a folder. It holds these files, all of them UTF-8; every text in them stands in
// English ("en") and in Chinese ("zh"):
//
//   - task.json, schema "staged-agent/example@1": the task, as vague as a person would put it.
//   - playbook.json, schema "staged-agent/playbook@1": the simulated user. Each entry is one
//     requirement: its key, the keywords of a question about it (lower case, matched as
//     substrings of the question), and the answer. The default answers everything else.
//   - script.json, schema "staged-agent/script@1": the scripted model. Each element is one reply,
//     with its tool calls. An argument {"$file": "en/tidy_v1.py"} stands for the text of that file
//     of the task's folder, and {"$result": "call_q1"} for the text of that earlier call's result.
//   - en/*.py and zh/*.py: the Python that the scripted model writes, in as many versions as it
//     takes. They are data to this program; saved under the names the script gives them, they run.
package examples

import (
	"embed"
	"io/fs"
)

// Files holds one folder for each example task.
//
//go:embed downloads
var Files embed.FS

// Downloads returns the folder of the task that tidies a downloads folder.
func Downloads() (fs.FS, error) { return fs.Sub(Files, "downloads") }
