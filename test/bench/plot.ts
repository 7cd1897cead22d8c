import { COLUMNS, type Row } from './table.ts';

const WIDTH = 860;
const ROW_HEIGHT = 34;
const TOP = 74;
const NAME_WIDTH = 140;
const BAR_WIDTH = 240;
const COLUMN_WIDTH = (WIDTH - NAME_WIDTH - BAR_WIDTH - 20) / COLUMNS.length;

/** Draws the table as SVG, readable on light and dark pages: a bar for the CPU, and all figures. */
export function plotOf(rows: readonly Row[], subtitle: string): string {
  const height = TOP + rows.length * ROW_HEIGHT + 16;
  const most = Math.max(...rows.map(({ cpuMs }) => cpuMs));
  const columnAt = (index: number) => NAME_WIDTH + BAR_WIDTH + (index + 1) * COLUMN_WIDTH;
  const heads = COLUMNS.map(({ title }, index) => words(title, columnAt(index), 64, 'end', 'head')).join(
    '\n  ',
  );
  const lines = rows.map((row, index) => {
    const y = TOP + index * ROW_HEIGHT;
    const isOurs = row.name === 'nac-lookup-bot';
    const bar = `<rect x="${NAME_WIDTH}" y="${y + 6}" width="${((row.cpuMs / most) * (BAR_WIDTH - 10)).toFixed(1)}" height="18" rx="3" class="${isOurs ? 'ours' : 'other'}"/>`;
    const cells = COLUMNS.map((column, at) =>
      words(column.of(row), columnAt(at), y + 20, 'end', isOurs ? 'strong' : ''),
    );
    return [words(row.name, 12, y + 20, 'start', isOurs ? 'strong' : ''), bar, ...cells].join('\n  ');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="CPU a lookup: ${rows.map(({ name, cpuMs }) => `${name} ${cpuMs.toFixed(2)} ms`).join(', ')}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f; }
    .title { font-size: 15px; font-weight: 600; } .strong { font-weight: 600; }
    .head, .sub { font-size: 11px; fill: #57606a; }
    .ours { fill: #1f7a4d; } .other { fill: #8c96a3; } .page { fill: #ffffff; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; } .head, .sub { fill: #9ba5b0; } .ours { fill: #3fb27f; } .other { fill: #6e7681; } .page { fill: #0d1117; }
    }
  </style>
  <rect class="page" width="100%" height="100%" rx="6"/>
  ${words('What one lookup costs', 12, 24, 'start', 'title')}
  ${words(subtitle, 12, 40, 'start', 'sub')}
  ${heads}
  ${lines.join('\n  ')}
</svg>
`;
}

function words(text: string, x: number, y: number, anchor: 'start' | 'end', style: string): string {
  const escaped = text.replace(/[<>&"]/g, (each) => `&#${each.charCodeAt(0)};`);
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}"${style && ` class="${style}"`}>${escaped}</text>`;
}
