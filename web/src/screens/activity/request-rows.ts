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

/** Errors of the same operation, code and symbol, one after the other, are one row. `rows` are newest first. */
export function rowsOf(rows: readonly LoggedRequest[], opened: ReadonlySet<string>): readonly RequestRow[] {
  const groups: LoggedRequest[][] = []
  let kind: string | undefined
  for (const request of rows) {
    const own = errorKind(request)
    if (own !== undefined && own === kind) groups.at(-1)?.push(request)
    else groups.push([request])
    kind = own
  }
  return groups.flatMap((requests) => {
    const key = keyOf(requests.at(-1)!)
    const isOpen = requests.length > 1 && opened.has(key)
    const parts = isOpen ? requests.map((one) => rowOf([one], `${keyOf(one)} part`, false, true)) : []
    return [rowOf(requests, key, isOpen, false), ...parts]
  })
}

const rowOf = (
  requests: readonly LoggedRequest[],
  key: string,
  isOpen: boolean,
  isPart: boolean,
): RequestRow => ({ requests, key, isOpen, isPart })

/** A restart numbers the requests from 1 again. */
const keyOf = ({ number, request_id: id }: LoggedRequest): string => `${number} ${id}`

function errorKind(request: LoggedRequest): string | undefined {
  const { status, operation, code, reason, key_id: key } = request
  if (status !== null && status < 400) return undefined
  return [operation, status, code, reason, key, symbolAbout(request)].join(' ')
}
