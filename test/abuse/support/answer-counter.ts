const headMark = Buffer.from('\r\n\r\n')
const kept = 64 * 1024

/** Counts answers as they come in, without keeping them: those of an attack are too long for that. */
export class AnswerCounter {
  readonly statuses: Record<string, number> = {}
  longest = 0
  firstBody = ''
  #answers = 0

  /** Takes the bytes of one connection; tells of each answer that came whole, and whether it is the connection's last. */
  parser(onAnswer: (last: boolean) => void): (bytes: Buffer) => void {
    let head = Buffer.alloc(0)
    let status = ''
    let last = false
    let missing = -1
    let number = 0
    return bytes => {
      for (let rest = bytes; rest.length > 0 || missing === 0; ) {
        if (missing < 0) {
          head = Buffer.concat([head, rest])
          const end = head.indexOf(headMark)
          if (end < 0) return
          const text = head.subarray(0, end).toString()
          status = /^HTTP\/1\.1 (\d{3})/u.exec(text)?.[1] ?? 'none'
          missing = Number(/^content-length: (\d+)/imu.exec(text)?.[1] ?? 0)
          last = /^connection: close/imu.test(text)
          this.longest = Math.max(this.longest, missing)
          number = this.#answers++
          rest = head.subarray(end + headMark.length)
          head = Buffer.alloc(0)
        }
        const part = rest.subarray(0, missing)
        if (number === 0 && this.firstBody.length < kept) this.firstBody += part.toString().slice(0, kept)
        missing -= part.length
        rest = rest.subarray(part.length)
        if (missing > 0) continue
        missing = -1
        this.statuses[status] = (this.statuses[status] ?? 0) + 1
        onAnswer(last)
      }
    }
  }
}
