package index

import ("testing";"context";"os";"time";"handrail/lessons";"runtime/pprof")

func TestZZBuild(t *testing.T) {
	docs, _ := duplicates(t)
	dir := t.TempDir()
	for rel, text := range docs { os.WriteFile(dir+"/"+rel, []byte(text), 0o644) }
	if d := os.Getenv("ZZDIR"); d != "" { dir = d }
	f, _ := os.Create("/tmp/idx/cpu.prof"); pprof.StartCPUProfile(f)
	for range 4 {
		brain, _ := lessons.OpenBrain(dir)
		s := time.Now()
		x, err := Open(context.Background(), Config{Dir: t.TempDir(), Brain: brain})
		if err != nil { t.Fatal(err) }
		<-x.Ready()
		a := time.Since(s)
		x.Close()
		t.Log(a, time.Since(s))
		brain.Close()
	}
	pprof.StopCPUProfile()
}
