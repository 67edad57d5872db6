import { createInterface } from 'node:readline/promises'
import { jsonOnStderr } from '@quipu/broker/log/log.ts'
import { run } from './commands/run.ts'

// Files of the data folder, backups and exports are their owner's alone.
const umask = process.umask(0o077)

// The reader of the output may have closed it. That does not end the program.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
// Nor does a log that cannot be written: its file may be on the full disk, or its terminal closed. Later lines are tried again.
process.stderr.on('error', () => undefined)

const line = process.argv.slice(2)
// A service manager reads the log of `start --quiet`, and the file of a server in the background has it.
const isService =
  line[0] === 'start' && !line.includes('--detach') && (line.includes('--quiet') || process.connected)
const note =
  isService && !process.stderr.isTTY ? jsonOnStderr() : (text: string) => process.stderr.write(`${text}\n`)

process.exitCode = await run({
  line,
  env: process.env,
  umask,
  print: (text) => process.stdout.write(`${text}\n`),
  note,
  width: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
  isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  async prompt(question) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    return terminal.question(question).finally(() => terminal.close())
  },
})
