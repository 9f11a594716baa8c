/** The part of an object that is expensive to compute. */
export interface LazyPart<Target extends object> {
  readonly keys: readonly (keyof Target)[];
  /** Completes the object once, before one of the keys is read or the object is changed. */
  readonly make: (target: Target) => void;
}

/**
 * An object for hooks with a lazily computed part, because most hooks never read it. Not a getter: V8 turns an object
 * with an own getter into a dictionary, which costs as much as ten hooks.
 */
export class LazyFields<Target extends object> implements ProxyHandler<Target> {
  /** The proxy that hooks receive. */
  readonly shown: Target;
  readonly #lazy: LazyPart<Target>;
  #isRead = false;

  constructor(target: Target, lazy: LazyPart<Target>) {
    this.#lazy = lazy;
    this.shown = new Proxy(target, this);
  }

  /** True if a hook has read it, and so may have changed it. */
  get isRead(): boolean {
    return this.#isRead;
  }

  get(target: Target, key: PropertyKey): unknown {
    const keys: readonly PropertyKey[] = this.#lazy.keys;
    if (!this.#isRead && keys.includes(key)) this.#complete(target);
    return Reflect.get(target, key);
  }

  getOwnPropertyDescriptor(target: Target, key: PropertyKey): PropertyDescriptor | undefined {
    this.#complete(target);
    return Reflect.getOwnPropertyDescriptor(target, key);
  }

  set(target: Target, key: PropertyKey, value: unknown): boolean {
    this.#complete(target);
    return Reflect.set(target, key, value);
  }

  defineProperty(target: Target, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    this.#complete(target);
    return Reflect.defineProperty(target, key, descriptor);
  }

  deleteProperty(target: Target, key: PropertyKey): boolean {
    this.#complete(target);
    return Reflect.deleteProperty(target, key);
  }

  #complete(target: Target): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#lazy.make(target);
  }
}
