package postcheck

import (
	"slices"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// TestForms judges each form of forms.txt by a piece that is right, one that is not, and one that it says nothing of.
func TestForms(t *testing.T) {
	type change = []string // name, text, name, text …
	tested := map[string]bool{}
	for _, c := range []struct {
		form, item             string
		right, wrong, sideways change
	}{
		{
			"log", "A player's e-mail is never written to the log",
			change{"a.py", "+    log.info(\"lost %s\", mask(player.email))\n"},
			change{"a.py", "+    log.info(\"lost %s\", player.email)\n"},
			change{"a.py", "+    mailer.send(player.email)\n+    log.info(\"email sent to %s\", player.id)\n"},
		},
		{
			"log", "전화번호는 로그에 남기지 않는다",
			change{"a.ts", "+  logger.warn(`no answer: ${maskPhone(user.phone)}`);\n"},
			change{"a.ts", "+  logger.warn(`no answer: ${user.phone}`);\n"},
			change{"a.ts", "+  logger.warn(`no phone given`);\n"},
		},
		{
			"layer", "A z-index is no number of your own",
			change{"a.css", "+  z-index: var(--layer-menu);\n"},
			change{"a.css", "+  z-index: 9001;\n"},
			change{"a.css", "+  z-index: auto;\n"},
		},
		{
			"key", "A row's key is never its index",
			change{"a.tsx", "+  rows.map((row) => <Row key={row.id} />)\n"},
			change{"a.tsx", "+  rows.map((row, i) => <Row key={i} />)\n"},
			change{"a.tsx", "+  <Row key={nameOf(row)} />\n"},
		},
		{
			"money", "Amounts are long, not double",
			nil,
			change{"a.kt", "+  val fee: Double = 0.5\n"},
			change{"a.kt", "+  val angle: Double = 0.5\n"},
		},
		{
			"wrap", "What comes back is wrapped with %w",
			change{"a.go", "+\treturn fmt.Errorf(\"load: %w\", err)\n"},
			change{"a.go", "+\treturn fmt.Errorf(\"load: %v\", err)\n"},
			change{"a.go", "+\treturn fmt.Errorf(\"no such map: %s\", name)\n"},
		},
		{
			"ids", "Tasks get ids, never model objects",
			change{"a.py", "+    score.delay(match.id)\n"},
			change{"a.py", "+    score.delay(match)\n"},
			change{"a.py", "+    score.delay()\n+    sweep.delay(days)\n"},
		},
		{
			"cleanup", "A useEffect that starts something returns its cleanup",
			change{"a.tsx", "+  useEffect(() => {\n+    const id = setInterval(tick, 9);\n+    return () => clearInterval(id);\n+  }, []);\n"},
			change{"a.tsx", "+  useEffect(() => {\n+    setInterval(tick, 9);\n+    // TODO return a cleanup\n+  }, []);\n"},
			change{"a.tsx", "+  useEffect(() => {\n+    setTitle(name);\n+  }, [name]);\n"},
		},
		{
			"memory", "Every container has a memory limit",
			change{"a.yaml", "+  - name: map\n+    image: map:1\n+    resources:\n+      limits: { cpu: 1, memory: 1Gi }\n"},
			change{"a.yaml", "+  - name: map\n+    image: map:1\n+    resources:\n+      requests:\n+        memory: 1Gi\n"},
			change{"a.yaml", "+  env:\n+    - name: MAP\n+      value: x\n"},
		},
		{
			"timeout", "Each job of a CI workflow has a timeout",
			change{".github/workflows/a.yml", " jobs:\n+  play:\n+    runs-on: linux\n+    timeout-minutes: 9\n"},
			change{".github/workflows/a.yml", " jobs:\n+  play:\n+    runs-on: linux\n"},
			change{"a.yml", "+  play:\n+    runs-on: linux\n"},
		},
		{
			"resource-group", "Deploys carry a resource_group",
			change{".gitlab-ci.yml", "+deploy-map:\n+  resource_group: map\n+  script: ./up\n"},
			change{".gitlab-ci.yml", "+deploy-map:\n+  script: ./up\n"},
			change{".gitlab-ci.yml", "+test-map:\n+  script: ./t\n"},
		},
		{
			"weak-self", "Closures that are kept capture [weak self]",
			change{"a.swift", "+  map.load { [weak self] tiles in\n+    self?.tiles = tiles\n+  }\n"},
			change{"a.swift", "+  map.load { tiles in\n+    self.tiles = tiles\n+  }\n"},
			change{"a.swift", "+  let names = tiles.map { tile in\n+    self.name(tile)\n+  }\n"},
		},
		{
			"transactional", "A method that writes two tables is @Transactional",
			change{"AService.java", " class A {\n+    @Transactional\n+    public void win() {\n+        scoreRepository.save(s);\n+        gameRepository.save(g);\n+    }\n }\n"},
			change{"AService.java", " class A {\n+    public void win() {\n+        scoreRepository.save(s);\n+        gameRepository.save(g);\n+    }\n }\n"},
			change{"AService.java", " class A {\n+    public void win() {\n+        scoreRepository.save(s);\n+    }\n }\n"},
		},
		{
			"read-only", "Lookups carry `@Transactional(readOnly = true)`",
			change{"AService.kt", " class A {\n+    @Transactional(readOnly = true)\n+    fun findMap(id: Long): Map {\n+        return maps.one(id)\n+    }\n }\n"},
			change{"AService.kt", " class A {\n+    fun findMap(id: Long): Map {\n+        return maps.one(id)\n+    }\n }\n"},
			change{"AService.kt", " class A {\n+    fun drop(id: Long) {\n+        maps.drop(id)\n+    }\n }\n"},
		},
		{
			"concurrently", "Indexes are built CONCURRENTLY",
			change{"migrations/1.sql", "+CREATE INDEX CONCURRENTLY a ON maps (x);\n"},
			change{"migrations/1.sql", "+CREATE INDEX a ON maps (x);\n"},
			change{"migrations/1.sql", "+DROP INDEX a;\n"},
		},
		{
			"expiry", "What goes to Redis gets an expiry",
			change{"a.py", "+def keep(m):\n+    redis.set(m.id, m.text, ex=9)\n"},
			change{"a.py", " def one(m):\n     redis.set(m.id, m.x, ex=9)\n+\n+def keep(m):\n+    redis.set(m.id, m.text)\n"},
			change{"a.py", "+def drop(m):\n+    redis.delete(m.id)\n"},
		},
		{
			"expiry", "캐시에는 만료 시간을 준다",
			change{"a.ts", "+async function keep(m) {\n+  await cache.set(m.id, m, 'EX', 60);\n+}\n"},
			change{"a.ts", "+async function keep(m) {\n+  await redis.set('a', m.x, 'EX', 9);\n+  await redis.set('b', m.y);\n+}\n"},
			change{"a.ts", "+  const hit = await cache.get(m.id);\n"},
		},
		{
			"close", "The rows of a query are closed",
			change{"a.go", "+func all() error {\n+\trows, err := db.Query(q)\n+\tdefer rows.Close()\n+\treturn err\n+}\n"},
			change{"a.go", "+func all() error {\n+\trows, err := db.Query(q)\n+\treturn err\n+}\n"},
			change{"a.go", "+\t_, err := db.Exec(q)\n"},
		},
		{
			"lock", "A wallet is read with SELECT FOR UPDATE before it changes",
			change{"a.py", "+def pay(w):\n+    db.run(\"SELECT coins FROM wallet WHERE id = 1 FOR UPDATE\")\n+    db.run(\"UPDATE wallet SET coins = 1\")\n"},
			change{"a.py", "+def pay(w):\n+    db.run(\"SELECT coins FROM wallet WHERE id = 1\")\n+    db.run(\"UPDATE wallet SET coins = 1\")\n"},
			change{"a.py", "+def pay(w):\n+    db.run(\"SELECT name FROM map WHERE id = 1\")\n+    db.run(\"UPDATE map SET name = 2\")\n"},
		},
		{
			"idempotency", "A payout carries an Idempotency-Key",
			change{"a.ts", "+export function payout(b) {\n+  return http.post('/payouts', b, { headers: { 'Idempotency-Key': b.id } });\n+}\n"},
			change{"a.ts", "+export function payout(b) {\n+  return http.post('/payouts', b);\n+}\n"},
			change{"a.ts", "+export function payout(b) {\n+  return http.get('/payouts');\n+}\n"},
		},
		{
			"signature", "Webhook senders are checked by their signature: `verify_sender`",
			nil,
			change{"webhooks/a.py", "+def courier_hook(request):\n+    return store(request.body)\n"},
			change{"maps/a.py", "+def show(request):\n+    return store(request.body)\n"},
		},
		{
			"early", "The sender is verified before the body is parsed",
			nil,
			change{"a.py", "+def hook(request):\n+    event = json.loads(request.body)\n+    verify_sender(request)\n"},
			change{"a.py", "+def hook(request):\n+    verify_sender(request)\n+    event = json.loads(request.body)\n"},
		},
		{
			"lifecycle", "Flows are collected inside repeatOnLifecycle",
			change{"MapFragment.kt", "+fun show() {\n+    scope.launch {\n+        repeatOnLifecycle(STARTED) {\n+            model.tiles.collect { draw(it) }\n+        }\n+    }\n+}\n"},
			change{"MapFragment.kt", "+fun show() {\n+    scope.launch {\n+        model.tiles.collect { draw(it) }\n+    }\n+}\n"},
			change{"MapModel.kt", "+    tiles.collect { keep(it) }\n"},
		},
		{
			"on-commit", "Tasks are sent by `transaction.on_commit`",
			change{"a.py", " @transaction.atomic\n def win(m):\n+    transaction.on_commit(lambda: score.delay(m.id))\n     m.save()\n"},
			change{"a.py", " @transaction.atomic\n def win(m):\n     m.save()\n+    score.delay(m.id)\n"},
			change{"a.py", " def win(m):\n+    score.delay(m.id)\n"},
		},
		{
			"outside", "No external API is called inside a @Transactional method",
			nil,
			change{"A.java", " class A {\n     @Transactional\n     public void win() {\n+        mapClient.send(m);\n     }\n }\n"},
			change{"A.java", " class A {\n     public void win() {\n+        mapClient.send(m);\n     }\n }\n"},
		},
		{
			"bounded", "No outgoing request goes without a timeout",
			change{"a.go", "+func get() {\n+\tc := http.Client{Timeout: limit}\n+}\n"},
			change{"a.go", "+func get() {\n+\tc := http.Client{}\n+}\n"},
			change{"a.go", "+func get() {\n+\tread()\n+}\n"},
		},
		{
			"set-e", "Shell scripts begin with `set -euo pipefail`",
			change{"a.sh", "+#!/bin/bash\n+set -Eeuo pipefail\n+run\n"},
			change{"a.sh", "+#!/bin/bash\n+# set -euo pipefail\n+run\n"},
			change{"a.py", "+#!/usr/bin/env python3\n+run()\n"},
		},
		{
			"lock-timeout", "A change of a table sets lock_timeout first",
			change{"migrations/1.sql", "+SET lock_timeout = '1s';\n+ALTER TABLE maps ADD x int;\n"},
			change{"migrations/1.sql", "+ALTER TABLE maps ADD x int;\n"},
			change{"migrations/1.sql", "+INSERT INTO maps VALUES (1);\n"},
		},
		{
			"not-valid", "Foreign keys are added NOT VALID",
			change{"migrations/1.sql", "+ALTER TABLE maps ADD CONSTRAINT a\n+  FOREIGN KEY (x) REFERENCES y NOT VALID;\n"},
			change{"migrations/1.sql", "+ALTER TABLE maps ADD CONSTRAINT a\n+  FOREIGN KEY (x) REFERENCES y;\n"},
			change{"migrations/1.sql", "+ALTER TABLE maps ADD CONSTRAINT a UNIQUE (x);\n"},
		},
		{
			"listener", "What addEventListener adds is removed again",
			change{"a.vue", "+  w.addEventListener('x', f)\n+  onUnmounted(() => w.removeEventListener('x', f))\n"},
			change{"a.vue", "+  w.addEventListener('x', f)\n"},
			change{"a.vue", "+  w.emit('x')\n"},
		},
		{
			"public-access", "Every S3 bucket has its public access block",
			change{"a.tf", "+resource \"aws_s3_bucket\" \"maps\" {\n+}\n+resource \"aws_s3_bucket_public_access_block\" \"m\" {\n+  bucket = aws_s3_bucket.maps.id\n+}\n"},
			change{"a.tf", " resource \"aws_s3_bucket_public_access_block\" \"o\" {\n   bucket = aws_s3_bucket.other.id\n }\n+resource \"aws_s3_bucket\" \"maps\" {\n+}\n"},
			change{"a.tf", "+resource \"aws_sqs_queue\" \"maps\" {\n+}\n"},
		},
		{
			"permissions", "A workflow has a permissions block",
			change{".github/workflows/a.yml", "+permissions:\n+  contents: read\n+jobs:\n+  a:\n"},
			change{".github/workflows/a.yml", "+on: push\n+jobs:\n+  a:\n"},
			change{".github/workflows/a.yml", "+    steps: []\n"},
		},
		{
			"public-name", "Secrets never go into NEXT_PUBLIC_ names",
			nil,
			change{"a.ts", "+const key = process.env.NEXT_PUBLIC_MAP_SECRET;\n"},
			change{"a.ts", "+const at = process.env.NEXT_PUBLIC_MAP_URL;\n"},
		},
		{
			"timer", "A setInterval is cleared when its view goes",
			change{"a.vue", "+  const beat = setInterval(tick, 9)\n+  onUnmounted(() => clearInterval(beat))\n"},
			change{"a.vue", "+  const beat = setInterval(tick, 9)\n+  const ping = setInterval(tock, 9)\n+  onUnmounted(() => clearInterval(beat))\n"},
			change{"a.vue", "+  setTimeout(tick, 9)\n"},
		},
		{
			"subscription", "Streams end with takeUntilDestroyed",
			change{"a.ts", "+  start(): void {\n+    this.moves$.pipe(takeUntilDestroyed()).subscribe(m => this.draw(m));\n+  }\n"},
			change{"a.ts", "+  start(): void {\n+    this.moves$.subscribe(m => this.draw(m));\n+  }\n"},
			change{"a.ts", "+  start(): void {\n+    this.draw(1);\n+  }\n"},
		},
		{
			"ack", "A move is acked after it was played",
			change{"a.go", "+func on(m Msg) {\n+\tplay(m.Body)\n+\tm.Ack()\n+}\n"},
			change{"a.go", "+func on(m Msg) {\n+\tm.Ack()\n+\tplay(m.Body)\n+}\n"},
			change{"a.go", "+func on(m Msg) {\n+\tif m.Seen {\n+\t\tm.Ack()\n+\t\treturn\n+\t}\n+\tplay(m.Body)\n+}\n"},
		},
		{
			"eager", "Lists of games load their maps with select_related",
			change{"a.py", "+def games():\n+    rows = Game.objects.select_related(\"map\")\n+    return [r.map.name for r in rows]\n"},
			change{"a.py", "+def games():\n+    rows = Game.objects.all()\n+    return [r.map.name for r in rows]\n"},
			change{"a.py", "+def games():\n+    return Game.objects.count()\n"},
		},
		{
			"zone", "Kick-off times are shown in Europe/Berlin",
			change{"a.ts", "+const at = kickoff.toLocaleString(\"de\", { timeZone: \"Europe/Berlin\" });\n"},
			change{"a.ts", "+const at = kickoff.toLocaleString(\"de\");\n"},
			change{"a.ts", "+const at = kickoff.getTime();\n"},
		},
		{
			"offload", "Packing of replays runs in spawn_blocking",
			change{"a.rs", "+async fn save(r: Replay) {\n+    spawn_blocking(move || zstd::encode_all(&r)).await;\n+}\n"},
			change{"a.rs", "+async fn save(r: Replay) {\n+    zstd::encode_all(&r);\n+}\n"},
			change{"a.rs", "+fn save(r: Replay) {\n+    zstd::encode_all(&r);\n+}\n"},
		},
		{
			"mounted", "After an await `mounted` is checked",
			change{"a.dart", "+  Future<void> join() async {\n+    await server.join();\n+    if (!mounted) return;\n+    Navigator.of(context).pop();\n+  }\n"},
			change{"a.dart", "+  Future<void> join() async {\n+    await server.join();\n+    Navigator.of(context).pop();\n+  }\n"},
			change{"a.dart", "+  Future<void> join() async {\n+    await server.join();\n+  }\n"},
		},
		{
			"changed", "Tasks of the shell say changed_when",
			change{"a.yml", "+- name: warm maps\n+  shell: ./warm\n+  changed_when: false\n"},
			change{"a.yml", "+- name: warm maps\n+  shell: ./warm\n"},
			change{"a.yml", "+- name: maps\n+  copy:\n+    src: maps\n"},
		},
		{
			"any", "Never cast to `any`",
			nil,
			change{"a.ts", "+const board = load() as any;\n"},
			change{"a.ts", "+{/* as good as any */}\n+const any = 1;\n"},
		},
		{
			"markup", "Chat never goes into v-html",
			change{"a.vue", "+  <p v-html=\"sanitize(line)\" />\n"},
			change{"a.vue", "+  <p v-html=\"line\" />\n"},
			change{"a.vue", "+  <p>{{ line }}</p>\n"},
		},
		{
			"down", "Each migration has a downgrade",
			change{"migrations/a.py", "+def upgrade():\n+    op.add_column()\n+\n+def downgrade():\n+    op.drop_column()\n"},
			change{"migrations/a.py", "+def upgrade():\n+    op.add_column()\n"},
			change{"migrations/a.py", "+name = \"maps\"\n"},
		},
		{
			"reverse", "RunPython has a reverse",
			change{"migrations/a.py", "+        RunPython(fill, RunPython.noop),\n"},
			change{"migrations/a.py", "+        RunPython(fill),\n"},
			change{"migrations/a.py", "+        AddField(\"map\"),\n"},
		},
		{
			"cancel", "The CancellationToken is passed on",
			change{"a.cs", "+        await _maps.SaveAsync(map, ct);\n"},
			change{"a.cs", "+        await _maps.SaveAsync(map);\n"},
			change{"a.cs", "+        _maps.Save(map);\n"},
		},
		{
			"deadline", "gRPC calls have a deadline",
			change{"a.go", "+func maps(ctx context.Context) {\n+\tctx, stop := context.WithTimeout(ctx, second)\n+\tdefer stop()\n+\tapi.List(ctx, &mapspb.All{})\n+}\n"},
			change{"a.go", "+func maps(ctx context.Context) {\n+\tapi.List(ctx, &mapspb.All{})\n+}\n"},
			change{"a.go", "+func maps(ctx context.Context) {\n+\tctx, stop := context.WithTimeout(ctx, second)\n+\tapi.List(ctx, &mapspb.All{})\n+\tapi.Show(ctx, &mapspb.One{})\n+}\n"},
		},
		{
			"protected", "Databases have deletion_protection",
			change{"a.tf", "+resource \"aws_db_instance\" \"maps\" {\n+  deletion_protection = true\n+}\n"},
			change{"a.tf", "+resource \"aws_db_instance\" \"maps\" {\n+  engine = \"postgres\"\n+}\n"},
			change{"a.tf", "+resource \"aws_db_parameter_group\" \"maps\" {\n+}\n"},
		},
		{
			"protected-bucket", "A bucket has prevent_destroy",
			change{"a.tf", "+resource \"aws_s3_bucket\" \"maps\" {\n+  lifecycle {\n+    prevent_destroy = true\n+  }\n+}\n"},
			change{"a.tf", "+resource \"aws_s3_bucket\" \"maps\" {\n+}\n"},
			change{"a.tf", "+resource \"aws_s3_object\" \"maps\" {\n+}\n"},
		},
		{
			"timestamptz", "Times are timestamptz, not timestamp",
			change{"a.sql", "+  played_at timestamptz NOT NULL,\n"},
			change{"a.sql", "+  played_at timestamp NOT NULL,\n"},
			change{"a.sql", "+  played boolean NOT NULL,\n"},
		},
		{
			"reserved", "The number of a field that went is reserved",
			change{"a.proto", "-  string clan = 4;\n+  reserved 4;\n"},
			change{"a.proto", "-  string clan = 4;\n+  string team = 5;\n"},
			change{"a.proto", "+  string team = 5;\n"},
		},
		{
			"job-id", "A game that is queued has a jobId",
			change{"a.ts", "+  await gameQueue.add(\"play\", game, { jobId: game.id });\n"},
			change{"a.ts", "+  await gameQueue.add(\"play\", game);\n"},
			change{"a.ts", "+  await gameQueue.pause();\n"},
		},
		{
			"attempts", "Jobs get attempts",
			change{"a.ts", "+  await gameQueue.add(\"play\", game, { attempts: 3 });\n"},
			change{"a.ts", "+  await gameQueue.add(\"play\", game);\n"},
			change{"a.ts", "+  await gameQueue.pause();\n"},
		},
		{
			"dispose", "A TextEditingController is let go in dispose",
			change{"a.dart", "+  final say = TextEditingController();\n+  void dispose() {\n+    say.dispose();\n+  }\n"},
			change{"a.dart", "+  final say = TextEditingController();\n+  void dispose() {\n+    focus.dispose();\n+  }\n"},
			change{"a.dart", "+  final say = Text();\n"},
		},
		{
			"dispose", "Controllers are let go in dispose",
			nil,
			nil,
			change{"a.dart", "+  child: Field(say: TextEditingController()),\n+  void dispose() {\n+    focus.dispose();\n+  }\n"},
		},
		{
			"runner", "Jobs never run on ubuntu-latest",
			change{"a.yml", "+    runs-on: ubuntu-24.04\n"},
			change{"a.yml", "+    runs-on: ubuntu-latest\n"},
			change{"a.yml", "+    timeout-minutes: 4\n"},
		},
		{
			"ref", "Models name others through ref(), never by schema",
			change{"a.sql", "+select id from {{ ref('maps') }}\n"},
			change{"a.sql", "+select id from raw.maps\n"},
			change{"a.sql", "+where id > 4\n"},
		},
		{
			"stderr", "Progress goes to stderr with eprintln, never println",
			change{"a.rs", "+    eprintln!(\"drawing {n}...\");\n"},
			change{"a.rs", "+    println!(\"drawing {n}...\");\n"},
			change{"a.rs", "+    println!(\"{map}\");\n"},
		},
		{
			"rls", "A new table has row level security",
			change{"a.sql", "+create table maps (id int);\n+alter table maps enable row level security;\n"},
			change{"a.sql", "+create table maps (id int);\n+create table clans (id int);\n+alter table maps enable row level security;\n"},
			change{"a.sql", "+alter table maps add column hills int;\n"},
		},
		{
			"phony", "A target that makes no file is in .PHONY",
			change{"Makefile", "+.PHONY: maps draw\n+draw: maps\n+\t./draw\n"},
			change{"Makefile", "+.PHONY: maps\n+draw: maps\n+\t./draw\n"},
			change{"Makefile", "+\t./draw\n"},
		},
		{
			"constant-time", "Tokens are never compared with == but in constant time",
			change{"a.go", "+\tok := subtle.ConstantTimeCompare(token, want) == 1\n"},
			change{"a.go", "+\tok := token == want\n"},
			change{"a.go", "+\tok := token == \"\"\n"},
		},
		{
			"lock", "A wallet is read FOR UPDATE before it is changed",
			nil,
			change{"a.go", "+// TODO: SELECT … FOR UPDATE\n+func pay(id string) {\n+\twallet := get(`SELECT gold FROM wallets WHERE id = $1`)\n+\ts.setGold(wallet, 4)\n+}\n"},
			change{"a.go", "+func show(id string) {\n+\tgauge.Set(get(`SELECT gold FROM wallets WHERE id = $1`))\n+}\n"},
		},
	} {
		tested[c.form] = true
		for _, f := range forms() {
			if f.name != c.form {
				continue
			}
			for want, files := range map[State]change{Kept: c.right, f.wrong: c.wrong, NotHere: c.sideways} {
				if len(files) == 0 {
					continue
				}
				got := Judge(t.Context(), turnOf(files), []lessons.Card{cardOf(c.item)})
				if got[0].State != want {
					t.Errorf("%s: %s: %q: %s, want %s", c.form, c.item, files, got[0].State, want)
				}
			}
		}
	}
	for _, f := range forms() {
		if !slices.Contains([]string{"line", "block", "unit", "file", "rest", "gone"}, f.scope) || f.wrong != Open && f.wrong != Broken {
			t.Errorf("%s: what are %s and %s?", f.name, f.scope, f.wrong)
		}
		switch f.name {
		case "settings", "pin", "tag", "colour", "text", "root", "USER": // see TestFilesAndForms
		default:
			if !tested[f.name] {
				t.Errorf("%s is not tested", f.name)
			}
		}
	}
}

// TestFormsOfOthers: an item that has a form's words and speaks of something else is not judged by it.
func TestFormsOfOthers(t *testing.T) {
	for item, files := range map[string][]string{
		"Every foreign key has an index":                   {"a.tsx", "+  rows.map((row, i) => <Row key={i} />)\n"},
		"The z-index of a menu is 1000":                    {"a.css", "+  z-index: 1000;\n"},
		"Never double the amount of a refund":              {"a.java", "+    double fee = 1;\n"},
		"NEXT_PUBLIC_MAP_KEY is set before a build":        {"a.ts", "+const key = process.env.NEXT_PUBLIC_MAP_KEY;\n"},
		"Slow tests run concurrently":                      {"migrations/1.sql", "+CREATE INDEX a ON maps (x);\n"},
		"HTTP timeouts are retried three times":            {"a.go", "+func get() {\n+\thttp.Get(url)\n+}\n"},
		"Check if a file exists before reading it":         {"a.py", "+def load(f):\n+    m = json.loads(f)\n+    verify(m)\n"},
		"Never log in with the admin account":              {"a.py", "+    log.info(\"start\")\n"},
		"A cache that expires too early costs a day":       {"a.py", "+    maps = cache.get(\"maps\")\n"},
		"Do not scale a container whose memory limit is 1": {"a.tf", "+resource \"map\" \"a\" {\n+}\n"},
	} {
		if got := Judge(t.Context(), turnOf(files), []lessons.Card{cardOf(item)}); got[0].State != NotHere {
			t.Errorf("%s: %s at %v", item, got[0].State, got[0].Place)
		}
	}
}
