import type { LoggedRequest } from '@quipu/sdk'
import { symbolAbout } from './request-words.ts'

/** A row of the list: a request, or several errors in a row that say the same. */
export type RequestRow = {
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Of the oldest request, so that a group that grows stays the same row. */
  readonly key: string
  /** The requests of the group have own rows below this one. */
  readonly isOpen: boolean
  /** The row is of a request of an open group. */
  readonly isPart: boolean
}

/** The time between two errors of a group, if other requests are between them. */
const GAP_MAX_MS = 60_000

/**
 * Errors of the same key, operation, code and symbol are one row, at the place of the newest. A program often does other
 * things between them, so other requests may be between two errors for a minute, but none that succeeded in the same.
 * `rows` are newest first.
 */
export function rowsOf(rows: readonly LoggedRequest[], opened: ReadonlySet<string>): readonly RequestRow[] {
  const groups: LoggedRequest[][] = []
  /** The groups that an older error may join, by task and error. */
  const growing = new Map<string, Map<string, LoggedRequest[]>>()
  for (const request of rows) {
    const { task, error } = kindsOf(request)
    const group = error === undefined ? undefined : growing.get(task)?.get(error)
    if (group && (group === groups.at(-1) || isNear(group.at(-1)!, request))) group.push(request)
    else {
      const begun = [request]
      groups.push(begun)
      if (error === undefined) growing.delete(task)
      else growing.set(task, (growing.get(task) ?? new Map<string, LoggedRequest[]>()).set(error, begun))
    }
  }
  return groups.flatMap((requests) => {
    const key = keyOf(requests.at(-1)!)
    const isOpen = requests.length > 1 && opened.has(key)
    const parts = isOpen ? requests.map((one) => rowOf([one], `${keyOf(one)} part`, false, true)) : []
    return [rowOf(requests, key, isOpen, false), ...parts]
  })
}

const isNear = (newer: LoggedRequest, older: LoggedRequest): boolean =>
  Date.parse(newer.at) - Date.parse(older.at) <= GAP_MAX_MS

const rowOf = (
  requests: readonly LoggedRequest[],
  key: string,
  isOpen: boolean,
  isPart: boolean,
): RequestRow => ({ requests, key, isOpen, isPart })

/** A restart numbers the requests from 1 again. */
const keyOf = ({ number, request_id: id }: LoggedRequest): string => `${number} ${id}`

type Kinds = {
  /** The key, what it asked for, and the symbol. */
  readonly task: string
  /** The task and its error; undefined if it succeeded. */
  readonly error: string | undefined
}

/** A flood draws a full list several times a second, and the symbol is in the JSON of the body. */
const known = new WeakMap<LoggedRequest, Kinds>()

function kindsOf(request: LoggedRequest): Kinds {
  const found = known.get(request)
  if (found) return found
  const { status, operation, code, reason, key_id: key } = request
  const task = [operation, key, symbolAbout(request)].join(' ')
  const isRefused = status === null || status >= 400
  const kinds = { task, error: isRefused ? `${status} ${code} ${reason}` : undefined }
  known.set(request, kinds)
  return kinds
}
