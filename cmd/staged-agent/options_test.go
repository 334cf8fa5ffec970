package main

import (
	"testing"

	"github.com/staged-agent/staged-agent/stages"
)

func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]stages.Lang{
		"count words": stages.EN, "写一个统计单词的脚本": stages.ZH, "用 requests 和 BeautifulSoup 写一个爬虫": stages.ZH,
		"write a script for 中文 file names": stages.EN, "ファイル名を変更する script": stages.EN, "漢字かな交じり文": stages.EN, "": stages.EN, "123": stages.EN,
		"compter les mots d'un fichier": stages.EN, "посчитать слова": stages.EN,
	} {
		if got := languageOf(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
