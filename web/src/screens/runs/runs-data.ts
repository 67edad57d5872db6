import { signal } from '@preact/signals'
import type { Client, ServerRun } from '@quipu/sdk'
import { type RunFile, readRun } from '@quipu/sdk/runs'
import { calm, followAuditLog, onReconnect, reading } from '../../live/reading.ts'
import { actingOperator, operator } from '../../session/connections.ts'
import { api } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'

const PAGE = 1000

/** Operators see all runs, others their own. */
const readingClient = (): Client | undefined => (isOperator.value ? operator().client : api.value?.client)
const changingClient = (): Client | undefined =>
  isOperator.value ? actingOperator().client : api.value?.client

/** All runs of the server, newest first. */
export const runList = reading(async (): Promise<readonly ServerRun[]> => {
  const client = readingClient()
  return client ? (await client.listRuns({ query: { limit: PAGE } })).runs : []
})

/** The runs of one command with several seeds, newest first. */
export async function runsOfGroup(group: string): Promise<readonly ServerRun[]> {
  const client = readingClient()
  const found: ServerRun[] = []
  let cursor: string | null = null
  do {
    const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) }
    const page: Awaited<ReturnType<Client['listRuns']>> | undefined = await client?.listRuns({ query })
    found.push(...(page?.runs ?? []).filter((run) => run.group === group))
    cursor = page?.next_cursor ?? null
  } while (cursor !== null)
  return found
}

/** The item in the address of a group of seeds begins with this. */
export const GROUP_ITEM = 'group-'

/** Operators follow the log of `main`, in which each change of a run is a row. Others read again after this time. */
const AGAIN_MS = 5000

/** Calls at once and whenever a run was stored, changed or deleted. Returns a function that ends this. */
export function followRuns(changed: () => void): () => void {
  const closing = new AbortController()
  const { signal } = closing
  addEventListener('focus', changed, { signal })
  if (isOperator.peek()) followAuditLog('main', signal, calm(changed, signal))
  else {
    changed()
    const timer = setInterval(() => document.hidden || changed(), AGAIN_MS)
    signal.addEventListener('abort', () => clearInterval(timer))
  }
  const stop = onReconnect(changed)
  return () => {
    stop()
    closing.abort()
  }
}

export type OpenedRun = {
  readonly file: RunFile
  readonly bytes: Uint8Array
  /** Absent: a file of the viewer. */
  readonly stored?: ServerRun | undefined
}

const [opened, fileOfViewer] = [new Map<string, OpenedRun>(), signal<OpenedRun | undefined>()]

/** The item in the address of a run file that the viewer has opened. */
export const VIEWER_FILE = 'file'

/** Reads a run of the server, or the file that the viewer has opened. */
export async function openRun(id: string): Promise<OpenedRun | undefined> {
  if (id === VIEWER_FILE) return fileOfViewer.value
  const known = opened.get(id)
  if (known) return known
  const client = readingClient()
  if (!client) return undefined
  const params = { params: { run: id } }
  const [stored, bytes] = await Promise.all([client.getRun(params), client.getRunFile(params)])
  const run = { file: await readRun(bytes), bytes, stored }
  if (stored.verdict !== 'running') opened.set(id, run)
  return run
}

export async function openFile(file: Blob): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  fileOfViewer.value = { file: await readRun(bytes), bytes }
}

export async function pinRun({ id, pinned }: ServerRun): Promise<void> {
  await changingClient()?.pinRun({ params: { run: id }, body: { pinned: !pinned } })
  opened.delete(id)
  await runList.read()
}

export async function deleteRun({ id }: ServerRun): Promise<void> {
  await changingClient()?.deleteRun({ params: { run: id } })
  opened.delete(id)
  await runList.read()
}

/** Saves bytes or text as a file of the viewer. */
export function download(content: Uint8Array | string, name: string): void {
  const isPage = typeof content === 'string'
  const part = isPage ? content : new Uint8Array(content)
  const href = URL.createObjectURL(new Blob([part], { type: isPage ? 'text/html' : 'application/gzip' }))
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
  URL.revokeObjectURL(href)
}
