// Compiled for macOS 13 by Scripts/check-darwin, over a declaration of what it uses of UIKit.
import BackgroundTransfers
import Foundation
import UIKit

extension NetworkConfigurable where Self == APIConfiguration {
    static var films: APIConfiguration {
        (try? APIConfiguration("https://api.example.com")) ?? .composed
    }
}

// snippet.create
extension BackgroundTransfers {
    static let films = BackgroundTransfers(
        "com.example.app.films", configuration: .films,
        options: BackgroundOptions(sendsCredentials: true))
}
// snippet.end

// snippet.delegate
final class AppDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        BackgroundTransfers.films.whenEventsEnd { completionHandler() }
    }
}
// snippet.end
