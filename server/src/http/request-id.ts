import { randomBytes } from 'node:crypto'
import { itemAt } from '@quipu/core/values'

const PREFIX_BYTES = 14
const PER_PREFIX = 65_536
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let prefix = ''
let used = PER_PREFIX

/** 32 hex digits: a random prefix for 65,536 ids, then a number, because random bytes per id need a system call. */
export function nextRequestId(): string {
  if (used === PER_PREFIX) {
    prefix = randomBytes(PREFIX_BYTES).toString('hex')
    used = 0
  }
  const number = used++
  return prefix + itemAt(pairs, number >> 8) + itemAt(pairs, number & 255)
}
