import Foundation
import NetworkPipeline

/// Says what is sent again and why, and remembers everything for the page.
struct TourObserver: ExchangeObserver {
    let waterfall: Waterfall

    func exchangeDidProgress(_ event: ExchangeEvent) {
        waterfall.exchangeDidProgress(event)
        if case .retried(let pause, let reason) = event.kind {
            Terminal.item("\(reason); once more in \(Terminal.took(pause))")
        }
    }
}
