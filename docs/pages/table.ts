/** A table of Markdown; pipes in cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

export const madeFrom = (source: string): string => `<!-- Made from ${source} by npm run docs; edit that. -->`
