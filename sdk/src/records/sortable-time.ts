/** A time as text that sorts as text. Timestamps have up to nine decimals; this one has all nine, in UTC. */
export function sortableTime(time: string | Date): string {
  const [, fraction = ''] = /\.(\d+)/.exec(time instanceof Date ? time.toISOString() : time) ?? []
  return `${new Date(time).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`
}
