// The broker, for the programs beside this file. They use nothing but Node.
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }

/** The clock of the broker, which must be that of the program. */
export async function clock() {
  const { timestamp } = await (await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })).json()
  const [broker, program] = [Date.parse(timestamp), Date.now()]
  if (Math.abs(broker - program) >= 1000)
    throw new Error(`the broker has ${timestamp}, the program ${new Date()}`)
}
