// A program whose libraries use the proxy of the environment: axios before 1.0 sends whole URLs, agents for proxies send CONNECT.
const http = require('node:http')
const https = require('node:https')
const tls = require('node:tls')

const proxy = new URL(process.env.HTTPS_PROXY)
const authorization = `Basic ${btoa(`${proxy.username}:${proxy.password}`)}`
const to = { host: proxy.hostname, port: proxy.port, headers: { 'proxy-authorization': authorization } }
const keys = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
const host = 'paper-api.alpaca.markets'

const textOf = async (response) => JSON.parse(Buffer.concat(await Array.fromAsync(response)))

const whole = () =>
  new Promise((resolve, reject) => {
    const path = `https://${host}/v2/clock`
    const request = http.get({ ...to, path, headers: { ...to.headers, ...keys, host } }, (response) =>
      resolve(textOf(response)),
    )
    request.on('error', reject)
  })

const tunnelled = () =>
  new Promise((resolve, reject) => {
    const request = http.request({ ...to, method: 'CONNECT', path: `${host}:443` })
    request.on('connect', (_, socket) => {
      const secure = tls.connect({ socket, servername: host })
      const options = { host, path: '/v2/clock', headers: keys, createConnection: () => secure, agent: false }
      https.get(options, (response) => resolve(textOf(response))).on('error', reject)
    })
    request.on('error', reject).end()
  })

async function main() {
  const seen = []
  // Each request follows from the one before, at the same instant.
  const timer = setInterval(() => seen.push('an hour later'), 3_600_000)
  for (const ask of [whole, whole, tunnelled, tunnelled, whole]) {
    const { timestamp } = await ask()
    seen.push(`${timestamp.slice(11, 19)} ${new Date().toISOString().slice(11, 19)}`)
  }
  clearInterval(timer)
  console.log(JSON.stringify(seen))
  process.exit(0)
}
main()
