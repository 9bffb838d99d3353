// Reads the bodies of requests and responses. Each piece (a chunk, a TCP segment) costs about 400 bytes as a separate
// Buffer, however small it is. So pieces are copied into one growing buffer, and small pieces are counted.
import type { Readable } from 'node:stream';
import { smallPieces } from './small-pieces.ts';

const growingBytesMin = 1024;

/** Bytes that arrive in pieces, in one buffer. A single piece is not copied. */
export class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.length || !this.#isOwn()) this.#grow(length);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  }

  /** Returns all bytes and empties the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }

  /** The first piece belongs to the stream that delivered it, and is exactly as long as its content. */
  #isOwn(): boolean {
    return this.#bytes.length > this.#length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(growingBytesMin, 2 * length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Counts the small pieces of one body. */
export class SmallPieces {
  #count = 0;

  /** Whether this piece exceeds the limit. */
  exceedsWith({ length }: Buffer): boolean {
    if (length < smallPieces.bytesBelow) this.#count += 1;
    return this.#count > smallPieces.countMax;
  }
}

/** Why a body was not read. */
export type BodyRefusal = 'too_large' | 'in_small_pieces';

export interface BoundedBody {
  /** Empty when the body was rejected. */
  readonly body: Buffer;
  /** Bytes read, including discarded ones. */
  readonly length: number;
  readonly refusal: BodyRefusal | undefined;
}

interface BodyBounds {
  readonly bytesMax: number;
  /**
   * Bodies longer than `bytesMax` are still read and discarded up to this many bytes. Most clients read no response
   * before they have sent the whole body.
   */
  readonly bytesReadMax?: number;
}

const noBytes = Buffer.alloc(0);

/** Reads to the end or to a limit. At a limit it pauses the stream. Rejects when the stream breaks off. */
export function readBounded(stream: Readable, { bytesMax, bytesReadMax = bytesMax }: BodyBounds): Promise<BoundedBody> {
  return new Promise((resolve, reject) => {
    const kept = new GrowingBuffer();
    const small = new SmallPieces();
    let length = 0;
    const giveUp = (refusal: BodyRefusal) => {
      stream.off('data', read).pause();
      kept.clear();
      resolve({ body: noBytes, length, refusal });
    };
    const read = (piece: Buffer) => {
      length += piece.length;
      if (small.exceedsWith(piece)) giveUp('in_small_pieces');
      else if (length > bytesReadMax) giveUp('too_large');
      else if (length > bytesMax) kept.clear();
      else kept.append(piece);
    };
    stream
      .on('data', read)
      .once('end', () => {
        if (length > bytesMax) resolve({ body: noBytes, length, refusal: 'too_large' });
        else resolve({ body: kept.take(), length, refusal: undefined });
      })
      .on('error', reject)
      .once('close', () => reject(new Error('the connection closed before the end of the body')));
  });
}
