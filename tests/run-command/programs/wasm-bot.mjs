// Compiles a large module in other threads at a time, as Node does before its first fetch, then reads the clock.
const number = (value) => {
  const bytes = []
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) return Buffer.from(bytes)
  }
}
const section = (id, body) => Buffer.concat([Buffer.from([id]), number(body.length), body])
const [functions, additions] = [1500, 4000]
const body = Buffer.concat([
  Buffer.from([0]),
  Buffer.alloc(3 * additions, Buffer.from([0x41, 1, 0x1a])),
  Buffer.from([0x0b]),
])
const code = Buffer.concat([number(body.length), body])
const bytes = Buffer.concat([
  Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
  section(1, Buffer.from([1, 0x60, 0, 0])),
  section(3, Buffer.concat([number(functions), Buffer.alloc(functions)])),
  section(10, Buffer.concat([number(functions), ...Array.from({ length: functions }, () => code)])),
])
setTimeout(async () => {
  await WebAssembly.compile(bytes)
  const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
  const response = await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })
  console.log(new Date().toISOString(), (await response.json()).timestamp)
}, 600_000)
setInterval(() => undefined, 60_000)
