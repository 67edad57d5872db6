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
  run: async ({ config, json, print, note }) => {
    const folder = localFolder(config, 'stop')
    const { pid, url } = runningServer(config)
    await checkHolder(folder, pid)
    if (!json) note(`stopping process ${pid} …`)
    process.kill(pid, 'SIGTERM')
    // Pending requests may need this long; then the journal is closed.
    const until = Date.now() + config.stopGraceMs + 20_000
    while (isAlive(pid) && readServerFile(folder)?.pid === pid) {
      if (Date.now() > until)
        throw new Failed(`process ${pid} has not stopped; \`kill -9 ${pid}\` loses no confirmed request`)
      await sleep(POLL_MS)
    }
    print(json ? JSON.stringify({ url, pid, stopped: true }) : `stopped (process ${pid})`)
    return 0
  },
}

/** The pid in the file may be outdated and belong to another process; the folder lock is certain. */
async function checkHolder(folder: string, pid: number): Promise<void> {
  try {
    const free = await openFolder(folder)
    free.release()
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    if (error.pid === pid) return
    throw new Failed(`${error.message}, which is not the running server: wait until it has finished`)
  }
  throw new NoServer(`no server is running on ${folder}: nothing to stop`)
}
