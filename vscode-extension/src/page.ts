// What came of the cards, as a page: no script, colours of the theme alone, and no markup from a card.

import { l10n } from 'vscode';
import type { CardStats, Stats, WeekStats } from './protocol.gen';
import { statusName, times } from './text';

/** The command that a card's title runs; the page may run no other. */
export const opens = 'handrail.lesson.open';

const style = `
body { max-width: 70em; margin: 0 auto; padding: 1em 1.5em 3em; line-height: 1.5; color: var(--vscode-foreground); }
h1 { font-size: 1.6em; font-weight: 500; margin: 0.4em 0; }
h2 { font-size: 1.15em; font-weight: 600; margin: 2em 0 0.5em; }
a { color: var(--vscode-textLink-foreground); text-decoration: underline; }
a:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
dl { display: flex; flex-wrap: wrap; gap: 0.5em 2.5em; margin: 0 0 1em; }
dl div { display: flex; flex-direction: column-reverse; }
dd { margin: 0; font-size: 1.8em; line-height: 1.2; }
dt, small { color: var(--vscode-descriptionForeground); }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-size: 1.15em; font-weight: 600; padding: 1.2em 0 0.5em; }
th, td { padding: 0.4em 0.6em; text-align: right; vertical-align: top; white-space: nowrap; }
th { font-weight: 600; }
th:first-child { padding-left: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
tbody th { font-weight: normal; }
tr > * { border-bottom: 1px solid var(--vscode-contrastBorder, var(--vscode-editorWidget-border, var(--vscode-panel-border))); }
svg { display: block; margin-left: auto; }
figure { margin: 0; }
figure svg { margin: 0; }
figcaption { color: var(--vscode-descriptionForeground); }
.bar { fill: var(--vscode-charts-blue, var(--vscode-foreground)); }
.none { fill: var(--vscode-descriptionForeground); }
ul { margin: 0; padding-left: 1.4em; }
li { overflow-wrap: anywhere; }
`;

/** The page about a brain. The nonce belongs to its style sheet, the only thing it may load. */
export function page(stats: Stats, language: string, nonce: string): string {
  const title = escapeHtml(l10n.t('What Lessons Did'));
  return `<!DOCTYPE html>
<html lang="${/^ko\b/.test(language) ? 'ko' : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${title}</title>
<style nonce="${nonce}">${style}</style>
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
  return `<h2>${escapeHtml(l10n.t('Mistakes that came back'))}</h2>\n<ul>${lines.join('\n')}</ul>`;
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
    return `<tr><th scope="row">${link(c)}${status}${outcomes}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const caption = escapeHtml(l10n.t('Lessons that were served'));
  return `<table>\n<caption>${caption}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`;
}

function never(stats: Stats): string {
  if (stats.never.length === 0) return '';
  const head = l10n.t('No request has matched these yet ({0} of {1} active cards)', stats.never.length, stats.active);
  return `<h2>${escapeHtml(head)}</h2>\n<ul>${stats.never.map((c) => `<li>${link(c)}</li>`).join('\n')}</ul>`;
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
