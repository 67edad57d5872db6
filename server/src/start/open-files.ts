import { readdirSync, readFileSync } from 'node:fs'

/** A server needs about 45 open files, a rebuild of a world a few more, and each connection one. */
export const FILES_MIN = 100
/** Files for a rebuild, backups, market data and outgoing connections, beside those that are open at the start. */
const SPARE = 40
/** The usual reserve, where the limit allows it. */
const RESERVED = 256
/** Where the system does not list the open files of a process. */
const USUALLY_OPEN = 60

/** Why the server cannot start with this limit on open files; undefined if it can. */
export function fewFiles(max: number | undefined = openFilesMax()): string | undefined {
  if (max === undefined || max >= FILES_MIN) return undefined
  return `the process may open ${max} files, expected at least ${FILES_MIN}: raise the limit with \`ulimit -n 65536\`, or with LimitNOFILE=65536 in the unit`
}

/** How many connections leave enough files for everything else. */
export function connectionsWithin(wanted: number, max = openFilesMax(), open = openFilesNow()): number {
  if (max === undefined) return wanted
  const reserve = Math.max(open + SPARE, Math.min(RESERVED, Math.floor(max / 2)))
  return Math.max(1, Math.min(wanted, max - reserve))
}

function openFilesNow(): number {
  try {
    return readdirSync('/dev/fd').length
  } catch {
    return USUALLY_OPEN
  }
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
