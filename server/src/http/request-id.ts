import { randomFillSync } from 'node:crypto'

const ID_BYTES = 16
const pool = Buffer.allocUnsafe(ID_BYTES * 256)
let used = pool.length

/** 32 hex digits. Random bytes are drawn for 256 ids at a time, because each draw is a call to the system. */
export function nextRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('hex', used - ID_BYTES, used)
}
