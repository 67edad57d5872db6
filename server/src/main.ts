import { createInterface } from 'node:readline/promises'
import { run } from './cli/run.ts'

// Files of the data folder, backups and exports are their owner's alone.
const umask = process.umask(0o077)

// The reader of the output may have closed it. That does not end the program.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

process.exitCode = await run({
  line: process.argv.slice(2),
  env: process.env,
  umask,
  print: (text) => process.stdout.write(`${text}\n`),
  note: (text) => process.stderr.write(`${text}\n`),
  width: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
  isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
  async prompt(question) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    return terminal.question(question).finally(() => terminal.close())
  },
})
