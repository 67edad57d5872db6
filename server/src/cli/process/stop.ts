import { setTimeout as sleep } from 'node:timers/promises'
import { FolderInUse, openFolder } from '../../process/folder.ts'
import { readServerFile } from '../../process/owner-file.ts'
import { type Command, Failed, NoServer } from '../command.ts'
import { localFolder, runningServer } from '../find-server.ts'
import { isAlive } from '../running-servers.ts'

const POLL_MS = 50

export const stopCommand: Command = {
  name: 'stop',
  about: 'Stop the server of the data folder and wait until it has ended.',
  example: 'quipu stop --data ./.quipu',
  run: async ({ config, json, say, note }) => {
    const folder = localFolder(config, 'stop')
    const { pid, url } = runningServer(config)
    await checkHolder(folder, pid)
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

/** A number in a file may be left over and belong to somebody else by now; who holds the folder is certain. */
async function checkHolder(folder: string, pid: number): Promise<void> {
  try {
    const free = await openFolder(folder)
    free.release()
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    if (error.pid === pid) return
    throw new Failed(`${error.message}, which is not the server that listens: wait until it is done`)
  }
  throw new NoServer(`no server is running on ${folder}: nothing to stop`)
}
