import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into the real program before it starts: its wall clock differs from the clock of the machine by the
// milliseconds in the file CLOCK_FILE, which is read again at SIGUSR2. The monotonic clock is unchanged.
const shift = (): number => Number(readFileSync(process.env['CLOCK_FILE']!, 'utf8'))
let shiftMs = shift()
if (isMainThread)
  process.on('SIGUSR2', () => {
    shiftMs = shift()
    process.stderr.write(`the clock is shifted by ${shiftMs}\n`)
  })
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(RealDate.now() + shiftMs)
    else super(...(args as [number]))
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
} as DateConstructor
