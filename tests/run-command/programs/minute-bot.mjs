// Reads its account at every minute, and reports what happened to each request.
const url = 'https://paper-api.alpaca.markets/v2/account'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
const outcomes = []
const read = async () => {
  const minute = new Date().toISOString().slice(14, 16)
  const outcome = await fetch(url, { headers }).then(
    ({ status }) => status,
    ({ cause }) => cause.message,
  )
  outcomes.push(`${minute} ${outcome}`)
}
await read()
setInterval(read, 60_000)
process.on('SIGTERM', () => {
  console.log(JSON.stringify(outcomes))
  process.exit(0)
})
