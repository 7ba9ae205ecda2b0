// The search runs in a worker, which browsers refuse to a page that was opened as a file. There its script runs in a
// hidden frame instead, which sends and gets messages as a worker does.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inside.importScripts = (...urls) => Promise.all(urls.map(each => this.load(each)))
      this.ready = this.load(url)
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script")
        script.src = url
        script.onload = resolve
        script.onerror = () => reject(new Error(`${url} cannot be loaded`))
        this.inside.document.head.append(script)
      })
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() {
      this.inside.frameElement.remove()
    }
  }
  window.IFrameWorker = window.Worker = FrameWorker
}
