import { describe, expect, it } from 'vitest'
import { cabinetAddress } from './cabinet-address.ts'

const config = { publicBaseUrl: undefined, host: '127.0.0.1', port: 3000 }

describe('the address of the pages', () => {
  it.each([
    [{}, undefined, 'http://127.0.0.1:3000'],
    [{ host: '::1' }, undefined, 'http://[::1]:3000'],
    [{ host: '0.0.0.0' }, undefined, 'http://127.0.0.1:3000'],
    [{ host: '::' }, 'http://[::]:4000', 'http://127.0.0.1:4000'],
    [{ port: 0 }, 'http://127.0.0.1:45678', 'http://127.0.0.1:45678'],
    [{ host: '192.0.2.1' }, 'http://192.0.2.1:3000', 'http://192.0.2.1:3000'],
    [{ publicBaseUrl: 'https://crm.example.com' }, 'http://127.0.0.1:3000', 'https://crm.example.com'],
  ])('with %j, listening at %s, is %s', (change, listening, expected) => {
    expect(cabinetAddress({ ...config, ...change }, listening)).toBe(expected)
  })
})
