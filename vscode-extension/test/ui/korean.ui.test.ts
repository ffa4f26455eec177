// The tree, the brain's upkeep and the loop once more, for a person who reads Korean.

import { expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, old, vsix } from './stage';

const workspace = { ...demoBrain(), '.brain/lessons/gopher.md': old('The gopher proxy drops long lines', '`gopher.Dial` wraps lines') };
const wb = useWorkbench({ workspace, extensions: [vsix], model: true, git: true, locale: 'ko' });
const csv = '엑셀에서 여는 CSV는 UTF-8 BOM이 없으면 한글이 깨진다';

test('정리할 것과 그 까닭을 말하고, 교훈이 한 일을 보여 준다', async () => {
  await wb.activity('Handrail').open();
  await expect.poll(() => wb.view('교훈').labels()).toContain('The gopher proxy drops long lines');
  await wb.run('Handrail: 교훈 정리…');
  await wb.quickInput.opened('교훈 정리');
  expect((await wb.quickInput.items()).find((i) => i.label === 'The gopher proxy drops long lines')).toMatchObject({
    description: '보관함',
    detail: expect.stringMatching(/^한 번만 나왔고 \d{4}일 동안 쓰이지 않음$/),
  });
  await wb.quickInput.hide();
  await wb.callApi('preflight', [{ query: '정산 CSV 내보내기를 추가해 줘', sessionId: 'a' }]);
  await wb.run('Handrail: 교훈이 한 일 보기');
  await wb.quickInput.opened('교훈이 한 일');
  expect((await wb.quickInput.items()).map((i) => i.group).filter(Boolean)).toEqual(['제공됨', '아직 맞는 요청이 없음']);
  await wb.screenshot('ko/stats');
  await wb.quickInput.hide();
});

test('한국어로 묻고 답한 것을 한국어로 알린다', async () => {
  wb.modelAnswers('`exportCSV`가 파일 첫 바이트로 UTF-8 BOM을 쓰도록 고쳤고, 줄바꿈은 CRLF로 씁니다.');
  await wb.chat.open();
  const said = await wb.chat.ask('@handrail 정산 CSV 내보내기를 추가해 줘');
  expect(wb.modelRequests().at(-1)!.messages.at(-1)!.text).toMatch(
    /^\[교훈 제목[^]*\n\n\[ACTIVE LESSONS[^]*엑셀에서 여는 CSV[^]*정산 CSV 내보내기를 추가해 줘$/,
  );
  expect(said.text).toContain('이 답변의 교훈: 1');
  expect(said.text).toContain('한글이 든 파일을 엑셀에서 열어 확인한다');
  expect(said.text).toContain('교훈 관리 · 교훈 기록');
  await expect.poll(() => wb.statusBar('handrail.footer').label()).toBe('Handrail: 마지막 답변의 교훈: 1 · 반영되지 않음: 1');
  await expect
    .poll(() => wb.view('마지막 답변').labels())
    .toEqual([
      csv,
      '남음: 한글이 든 파일을 엑셀에서 열어 확인한다',
      '말로만: CSV 내보내기는 UTF-8 BOM으로 시작한다',
      '말로만: 줄바꿈은 CRLF로 쓴다',
    ]);
  await wb.view('마지막 답변').click('남음: 한글이 든 파일을 엑셀에서 열어 확인한다');
  await wb.editor.opened('csv-bom.md');
  const line =
    wb
      .read('.brain/lessons/csv-bom.md')
      .split('\n')
      .findIndex((l) => l.includes('엑셀에서 열어 확인한다')) + 1;
  await expect.poll(() => wb.editor.position()).toMatchObject({ line });
  await wb.screenshot('ko/footer');
});

test('"또 안 돼"는 후보가 되고, 초안은 한국어로 부족한 것을 말한다', async () => {
  await wb.chat.ask('@handrail 또 안 돼요, 어제 고친 건데');
  await expect.poll(() => wb.view('후보').rows()).toHaveLength(1);
  const [row] = await wb.view('후보').rows();
  expect(row!.description).toBe('또 실패했습니다');
  await wb.view('후보').inlineAction(row!.label, '후보 기록');
  await expect
    .poll(() => wb.problems().then((all) => all.map((p) => p.message)))
    .toContain('근본 원인이 없습니다. 왜 실수가 생겼는지 적어 주세요.');
  await expect.poll(() => wb.editor.text()).toContain('## 상황');
  await wb.screenshot('ko/draft');
});

test('기록해 달라는 말에는 바로 초안을 연다', async () => {
  await wb.chat.ask('@handrail 이번 실수는 꼭 기록해 줘: 배포 전에 마이그레이션을 빠뜨렸어');
  await expect.poll(() => wb.editor.text()).toContain('마이그레이션을 빠뜨렸어');
  await expect.poll(() => wb.view('후보').rows()).toEqual([]);
  expect(await wb.notifications()).toEqual([]);
  await wb.screenshot('ko/record');
});

test('명령과 관리 목록도 한국어다', async () => {
  await wb.run('Handrail: 교훈 관리…');
  await wb.quickInput.opened('Handrail 교훈');
  await expect.poll(() => wb.quickInput.items().then((all) => all[0]!.group)).toBe('마지막 답변에 쓰인 카드');
  await wb.screenshot('ko/manage');
  await wb.quickInput.hide();
});

test('트리와 둘러보기도 한국어다', async () => {
  wb.write('.brain/lessons/torn.md', '---\ntype: [lesson\n---\n# 찢어진 카드\n');
  const row = () =>
    wb
      .view('교훈')
      .rows()
      .then((all) => all.find((r) => r.label === '찢어진 카드'));
  await expect.poll(row).toMatchObject({ icon: 'error', description: '읽을 수 없음' });
  await wb.run('Welcome: Open Walkthrough...');
  await wb.quickInput.opened();
  await wb.quickInput.pick('Handrail 시작하기');
  await wb.page.locator('.gettingStartedContainer').getByText('첫 카드 쓰기').first().click();
  await wb.screenshot('ko/walkthrough');
});
