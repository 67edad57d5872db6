import { setTimeout as sleep } from 'node:timers/promises'
import { FolderInUse, openFolder } from '@quipu/broker/data-folder/folder.ts'
import { readServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import { definedFields } from '@quipu/core/values'
import { ApiError, createClient, NetworkError } from '@quipu/sdk'
import { certificateFileCheck } from '@quipu/server/doctor/machine.ts'
import { type CliCommand, type CommandContext, CommandFailed, NoServer } from '../command.ts'
import { endpointOf, findServer, localFolder, runningServer } from '../find-server.ts'
import { type Column, columns, tableLines } from '../output.ts'
import { isAlive, type RunningServer } from '../running-servers.ts'
import { serversElsewhere, targetOf } from '../target.ts'
import { wholeNumberValue } from '../values.ts'

const STOP_POLL_MS = 50

export const stopCommand: CliCommand = {
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
        throw new CommandFailed(
          `process ${pid} has not stopped; \`kill -9 ${pid}\` loses no confirmed request`,
        )
      await sleep(STOP_POLL_MS)
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
    throw new CommandFailed(`${error.message}, which is not the running server: wait until it has finished`)
  }
  throw new NoServer(`no server is running on ${folder}: nothing to stop`)
}

const STATUS_POLL_MS = 100
/** A server that is silent for this time does not answer. */
const REQUEST_MS = 30_000

export const statusCommand: CliCommand = {
  name: 'status',
  usesDataFolder: true,
  about: 'Show whether the server is running and ready. With several servers, list them.',
  flags: {
    wait: { about: 'Wait until the server is ready.' },
    'timeout-ms': { placeholder: 'N', about: 'How long to wait, in milliseconds. Default: 30000.' },
  },
  operations: ['getReadiness'],
  example: 'quipu status --wait',
  run: async (context) => {
    const { args, json, print, width } = context
    const timeoutMs = wholeNumberValue(args.get('timeout-ms') ?? '30000', 'timeout-ms')
    const servers = serversElsewhere(context)
    if (servers.length > 1 && !args.has('wait')) {
      const lines = [...tableLines(servers, serverTable, width), '', 'Select one with --data.']
      print(json ? JSON.stringify({ servers }) : lines.join('\n'))
      return 0
    }
    const status = args.has('wait') ? await ready(context, timeoutMs) : await statusNow(context)
    const rows = Object.entries(status).map(([name, value]) => [name, String(value)])
    print(json ? JSON.stringify(status) : columns(rows).join('\n'))
    return status.ready ? 0 : 1
  },
}

type Status = {
  readonly url: string
  readonly publicUrl?: string
  readonly ready: boolean
  /** Why the server is not ready. */
  readonly problem?: string
  readonly pid?: number
  readonly version?: string
  /** The certificate of the server has expired, or expires soon. */
  readonly warning?: string
}

const serverTable: readonly Column<RunningServer>[] = [
  ['DATA', ({ folder }) => folder],
  ['URL', ({ url }) => url],
  ['PROCESS', ({ pid }) => pid],
  ['VERSION', ({ version }) => version],
]

async function statusNow(context: CommandContext, timeoutMs = REQUEST_MS): Promise<Status> {
  const config = targetOf(context)
  const { url, publicUrl, pid, version, certificate } = findServer(config)
  const known = definedFields({ publicUrl, pid, version, warning: warningOf(certificate) })
  try {
    await createClient({ ...endpointOf(config), timeoutMs, retries: 0 }).getReadiness()
    return { url, ready: true, ...known }
  } catch (error) {
    if (error instanceof ApiError && error.status === 503)
      return { url, ready: false, problem: error.message, ...known }
    throw error
  }
}

function warningOf(certificate: string | undefined): string | undefined {
  const check = certificate === undefined ? undefined : certificateFileCheck(certificate, Date.now())
  return check?.ok === false ? check.detail : undefined
}

/** Polls until the server is ready or the time is over, then throws the last failure. */
async function ready(context: CommandContext, timeoutMs: number): Promise<Status> {
  const until = Date.now() + timeoutMs
  for (;;) {
    let failure: unknown
    const leftMs = Math.max(until - Date.now(), STATUS_POLL_MS)
    const status = await statusNow(context, Math.min(leftMs, REQUEST_MS)).catch((error: unknown) => {
      if (!(error instanceof NoServer || error instanceof NetworkError)) throw error
      failure = error
    })
    if (status?.ready) return status
    if (Date.now() + STATUS_POLL_MS > until) {
      if (status) return status
      throw failure
    }
    await sleep(STATUS_POLL_MS)
  }
}
