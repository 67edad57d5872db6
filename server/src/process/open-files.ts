import { readFileSync } from 'node:fs'
import type { Log } from './log.ts'

/** Files that journal, views, market data and outward connections may need beside the clients' connections. */
const RESERVED = 256

/** At most this many connections, or as many as leave enough files for everything else. */
export function connectionsWithin(connectionsMax: number, log: Log): number {
  const files = openFilesMax() ?? Number.POSITIVE_INFINITY
  const allowed = Math.max(Math.floor(files / 2), files - RESERVED)
  if (allowed >= connectionsMax) return connectionsMax
  log.warn('fewer connections than connectionsMax, because of the limit on open files (ulimit -n)', {
    connectionsMax,
    allowed,
  })
  return allowed
}

/** How many files and connections this process may have open. Node raises its limit to the highest that it may set. */
function openFilesMax(): number | undefined {
  try {
    return numberIn(/^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    // Only Linux has that file. A report takes longer, and names the same limit elsewhere; Windows has none.
    Object.assign(process.report, { excludeNetwork: true })
    const { userLimits } = process.report.getReport() as { userLimits?: Limits }
    return numberIn(userLimits?.open_files?.soft)
  }
}

type Limits = { readonly open_files?: { readonly soft?: number | string } }

function numberIn(limit: number | string | undefined): number | undefined {
  const number = Number(limit)
  return Number.isSafeInteger(number) ? number : undefined
}
