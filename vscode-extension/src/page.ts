// What came of the cards, as a page: no script, a style sheet of ours (media/stats.css), and no markup from a card.

import { l10n } from 'vscode';
import type { CardStats, Stats, WeekStats } from './protocol.gen';
import { statusName, times } from './text';

/** The command that a card's title runs; the page may run no other. */
export const opens = 'handrail.lesson.open';

/** The page about a brain. It may load its style sheet, which lies at href of this source, and nothing else. */
export function page(stats: Stats, language: string, href: string, source: string): string {
  const title = escapeHtml(l10n.t('What Lessons Did'));
  return `<!DOCTYPE html>
<html lang="${/^ko\b/.test(language) ? 'ko' : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source}">
<title>${title}</title>
<link rel="stylesheet" href="${href}">
</head>
<body>
<h1>${title}</h1>
${[totals(stats), recurred(stats.cards), served(stats.cards), never(stats)].filter(Boolean).join('\n')}
</body>
</html>
`;
}

function totals(stats: Stats): string {
  const sum = (count: (c: CardStats) => number) => stats.cards.reduce((n, c) => n + count(c), 0);
  const figures: [string, number][] = [
    [l10n.t('Active cards'), stats.active],
    [l10n.t('Served'), sum((c) => c.served)],
    [l10n.t('Addressed'), sum((c) => c.addressed)],
    [l10n.t('Not addressed'), sum((c) => c.unaddressed)],
    [l10n.t('Came back'), sum((c) => c.recurred)],
  ];
  const list = figures.map(([name, n]) => `<div><dt>${escapeHtml(name)}</dt><dd>${n}</dd></div>`).join('');
  const legend = escapeHtml(l10n.t('How often lessons were served in each of the last {0} weeks', stats.weeks.length));
  return `<dl>${list}</dl>\n<figure>${chart(stats.weeks, 16, 60)}<figcaption>${legend}</figcaption></figure>`;
}

/** The cards whose mistake was made all the same: what a person should look at first. */
function recurred(cards: readonly CardStats[]): string {
  const back = cards.filter((c) => c.recurred > 0);
  if (back.length === 0) return '';
  const lines = back.map((c) => {
    const said = l10n.t('This card was served {0} and the mistake came back {1}.', times(c.served), times(c.recurred));
    return `<li>${link(c)}<br>${escapeHtml(said)}</li>`;
  });
  return `<h2>${escapeHtml(l10n.t('Mistakes that came back'))}</h2>\n${folded(lines, (part) => `<ul>${part}</ul>`)}`;
}

function served(cards: readonly CardStats[]): string {
  if (cards.length === 0) return `<p>${escapeHtml(l10n.t('No card was served yet.'))}</p>`;
  const names = [
    l10n.t('Lesson'),
    l10n.t('Served'),
    l10n.t('Addressed'),
    l10n.t('Not addressed'),
    l10n.t('Came back'),
    l10n.t('Last used'),
    l10n.t('By week'),
  ];
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const rows = cards.map((c) => {
    const status = c.status === 'active' ? '' : ` <small>${escapeHtml(statusName(c.status))}</small>`;
    const ended = c.succeeded + c.failed > 0 ? l10n.t('ended well {0}×, badly {1}×', c.succeeded, c.failed) : '';
    const outcomes = ended ? `<br><small>${escapeHtml(ended)}</small>` : '';
    const cells = [c.served, c.addressed, c.unaddressed, c.recurred, escapeHtml(c.lastUsed), chart(c.weeks, 6, 20)];
    const named = cells.map((cell, i) => `<td data-name="${escapeHtml(names[i + 1] ?? '')}">${cell}</td>`);
    return `<tr><th scope="row">${link(c)}${status}${outcomes}</th>${named.join('')}</tr>`;
  });
  const caption = `<caption>${escapeHtml(l10n.t('Lessons that were served'))}</caption>\n`;
  const table = (part: string, i: number) =>
    `<table>\n${i === 0 ? caption : ''}<thead><tr>${head}</tr></thead>\n<tbody>\n${part}\n</tbody>\n</table>`;
  return folded(rows, table);
}

function never(stats: Stats): string {
  if (stats.never.length === 0) return '';
  const head = l10n.t('No request has matched these yet ({0} of {1} active cards)', stats.never.length, stats.active);
  const lines = stats.never.map((c) => `<li>${link(c)}</li>`);
  return `<h2>${escapeHtml(head)}</h2>\n${folded(lines, (part) => `<ul>${part}</ul>`)}`;
}

/** How many rows of a list are seen at once. */
const shown = 20;

/** A list of rows; what is beyond the first ones is folded. */
function folded(rows: readonly string[], list: (part: string, i: number) => string): string {
  const rest = rows.slice(shown);
  const more = escapeHtml(l10n.t('and {0} more', rest.length));
  return (
    list(rows.slice(0, shown).join('\n'), 0) +
    (rest.length > 0 ? `\n<details><summary>${more}</summary>${list(rest.join('\n'), 1)}</details>` : '')
  );
}

/** A bar for each week, the most often served one as high as the chart; the same in words for who cannot see it. */
function chart(weeks: readonly WeekStats[], width: number, height: number): string {
  const most = Math.max(1, ...weeks.map((w) => w.served));
  const bars = weeks.map((w, i) => {
    const high = Math.max(1, Math.round((Math.max(0, w.served) / most) * height));
    const at = `x="${i * width}" y="${height - high}" width="${width - 2}" height="${high}"`;
    return `<rect class="${w.served > 0 ? 'bar' : 'none'}" ${at}/>`;
  });
  const counts = weeks.map((w) => Math.max(0, w.served)).join(', ');
  const words = escapeHtml(l10n.t('Served by week since {0}: {1}', weeks[0]?.from ?? '', counts));
  const all = weeks.length * width;
  return `<svg role="img" width="${all}" height="${height}" viewBox="0 0 ${all} ${height}"><title>${words}</title>${bars.join('')}</svg>`;
}

function link(card: { path: string; title: string }): string {
  const target = `command:${opens}?${encodeURIComponent(JSON.stringify([card.path]))}`;
  return `<a href="${escapeHtml(target)}"><bdi>${escapeHtml(card.title || card.path)}</bdi></a>`;
}

/** Foreign text for the middle of HTML, in an attribute too: nothing in it is markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
