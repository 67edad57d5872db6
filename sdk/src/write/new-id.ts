/**
 * A new id: a UUID of version 7, so that ids sort by the time at which they were made. `crypto.randomUUID` makes version 4,
 * and is missing on web pages that were not loaded over HTTPS.
 */
export function newId(nowMs = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const random = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const time = nowMs.toString(16).padStart(12, '0')
  const variant = '89ab'.charAt(bytes[8]! % 4)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(3, 6)}-${random.slice(-12)}`
}
