import { readFileSync } from 'node:fs'
import type { Log } from './log.ts'

/** Files for the journal, views, market data and outgoing connections. */
const RESERVED = 256

/** The lower of `connectionsMax` and the limit on open files minus the reserve. */
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

/** The limit on open files. Node raises its soft limit to the hard limit. */
function openFilesMax(): number | undefined {
  try {
    return numberIn(/^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    // Only Linux has this file. Elsewhere a (slower) diagnostic report has the same limit; Windows has none.
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
