import { gzipSync } from 'node:zlib'

/** The record of a run, as the first line of a run file. */
export const runRecord = (id: number, fields: object = {}) => ({
  quipu_run: 1,
  id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  kind: 'run',
  program: 'bot.js',
  command: ['node', 'bot.js'],
  version: '0.1.0',
  seed: '1',
  hours: 'nyse',
  from: '2026-01-05T14:30:00Z',
  to: '2026-01-05T21:00:00Z',
  started_at: '2026-11-02T15:10:15Z',
  took_ms: 1,
  verdict: 'passed',
  reason: '',
  exit_code: 0,
  equity_at_start: 1,
  profit_loss: 0,
  max_drawdown: 0,
  orders: 0,
  fills: 0,
  requests: 0,
  refused: 0,
  faults_met: 0,
  faults_planned: 0,
  curve: [],
  is_cut: false,
  ...fields,
})

/** The bytes of a run file with these lines. */
export function runFileOf(first: object, ...lines: readonly object[]): Uint8Array {
  const all = [first, ...lines, { part: 'end', lines: lines.length + 2 }]
  return gzipSync(all.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** A line that the program printed, which gzip cannot make shorter. */
export const randomOutput = (bytes: number) => ({
  part: 'output',
  at: '2026-01-05T15:00:00Z',
  stream: 'stdout',
  text: Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)))).toString('hex'),
})
