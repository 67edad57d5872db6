// A program that uses Date and timers, and compares them with the clock of the broker. It knows nothing of Quipu.
import { setTimeout as wait } from 'node:timers/promises'

const realStart = performance.now()
const start = Date.now()
const timeout = await new Promise((resolve) => setTimeout(() => resolve(Date.now()), 60_000))
let ticks = 0
const interval = await new Promise((resolve) => {
  const timer = setInterval(() => {
    ticks += 1
    if (ticks < 3) return
    clearInterval(timer)
    resolve(Date.now())
  }, 60_000)
})
await wait(60_000)
const later = Date.now()
const headers = { 'APCA-API-KEY-ID': 'PKWRITTENINTOPROGRAM', 'APCA-API-SECRET-KEY': 'secret-of-the-program' }
const clock = await (await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })).json()
class Later extends Date {}
const isDate =
  new Date() instanceof Date && new Later() instanceof Later && new Date(0).toISOString().startsWith('1970')
const real = performance.now() - realStart
console.log(JSON.stringify({ start, timeout, interval, later, broker: clock.timestamp, isDate, real }))
