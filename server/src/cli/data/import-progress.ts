import { basename } from 'node:path'
import type { Progress } from '../../import/options.ts'
import type { Context } from '../command.ts'

const EVERY_MS = 100
const TOLD_MS = 5_000
const WIDTH = 30

/** A bar on a terminal, a line now and then elsewhere, nothing where the answer is JSON. */
export function progressBar({ json, note }: Context): {
  readonly show: Progress
  readonly clear: () => void
} {
  const isTerminal = process.stderr.isTTY === true
  let [toldAt, isShown] = [performance.now(), false]
  const show: Progress = ({ file, bytes, bytesTotal, rows }) => {
    const now = performance.now()
    if (json || now - toldAt < (isTerminal ? EVERY_MS : TOLD_MS)) return
    toldAt = now
    const share = bytesTotal === 0 ? 1 : Math.min(1, bytes / bytesTotal)
    const text = `${basename(file)}  ${Math.floor(share * 100)} %  ${rows.toLocaleString('en-US')} rows`
    if (!isTerminal) return note(text)
    isShown = true
    const done = Math.round(share * WIDTH)
    process.stderr.write(`\r\x1b[K[${'#'.repeat(done)}${' '.repeat(WIDTH - done)}] ${text}`)
  }
  const clear = (): void => {
    if (isShown) process.stderr.write('\r\x1b[K')
    isShown = false
  }
  return { show, clear }
}
