import { setTimeout as sleep } from 'node:timers/promises'
import { readServerFile } from '../owner-file.ts'
import { type Command, Failed, UsageError } from './command.ts'
import { isAlive, runningServer } from './find-server.ts'

const POLL_MS = 50

export const stopCommand: Command = {
  name: 'stop',
  about: 'Ends the server that holds the data folder, and waits until it has.',
  example: 'quipu stop --data ./.quipu',
  run: async ({ config, json, say, note }) => {
    if (config.url !== undefined)
      throw new UsageError('quipu stop finds the server by its data folder: use --data instead of --url')
    const { pid, url } = runningServer(config)
    const folder = config.data.kind === 'folder' ? config.data.path : ''
    if (!json) note(`ending process ${pid} …`)
    process.kill(pid, 'SIGTERM')
    // Requests under way may take their time, then the journal is closed.
    const until = Date.now() + config.stopGraceMs + 20_000
    while (isAlive(pid) && readServerFile(folder)?.pid === pid) {
      if (Date.now() > until)
        throw new Failed(`process ${pid} has not ended; \`kill -9 ${pid}\` loses nothing stored`)
      await sleep(POLL_MS)
    }
    say(json ? JSON.stringify({ url, pid, stopped: true }) : `stopped (process ${pid})`)
    return 0
  },
}
