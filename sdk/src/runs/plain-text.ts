/** Colors, cursor moves, links and titles: CSI and OSC sequences, other strings, and escapes of two or three characters. */
const SEQUENCES = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x9c]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '\\x1b[PX^_][^\\x1b\\x9c]*(?:\\x1b\\\\|\\x9c)',
    '\\x1b[ -/]*[0-~]',
  ].join('|'),
  'g',
)
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** A line of output as a terminal shows it, without colors. A carriage return begins the line anew. */
export function plainText(line: string): string {
  const text = line.replace(SEQUENCES, '').replace(CONTROLS, '').replace(/\r+$/, '')
  return text.slice(text.lastIndexOf('\r') + 1)
}
