// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// Documents of the shape and size of the public benchmark files, which are not part of the repository.
public enum Generators {
    /// As canada.json: 2.2 MB of coordinates with 15 to 17 digits.
    public static func canada() -> Canada {
        var random = Random(seed: 1)
        var rings: [[Coordinate]] = []
        for ring in 0..<480 {
            var points: [Coordinate] = []
            for _ in 0..<(ring == 0 ? 7000 : 100) {
                let longitude = -Double(random.below(90_000_000_000)) / 1e9 - 52
                points.append(Coordinate(longitude: longitude, latitude: Double(random.below(40_000_000_000)) / 1e9 + 43.000001))
            }
            rings.append(points)
        }
        return Canada(
            type: "FeatureCollection",
            features: [
                Feature(type: "Feature", properties: ["name": "Canada"], geometry: Geometry(type: "Polygon", coordinates: rings))
            ])
    }

    /// As citm_catalog.json: small integers, dictionaries with numeric keys, nulls.
    public static func catalog() -> Catalog {
        var random = Random(seed: 2)
        func names(_ count: Int, _ name: String, _ random: inout Random) -> [String: String] {
            var names: [String: String] = [:]
            for i in 205_700_000..<205_700_000 + count { names[String(i)] = "\(name) \(random.below(1000))" }
            return names
        }
        var events: [String: Event] = [:]
        for i in 0..<184 {
            let id = UInt32(138_586_000 + i)
            events[String(id)] = Event(
                description: nil, id: id, logo: i % 2 == 0 ? "/images/UE0AAAAACEKo6QAAAAZDSVRN\(i)" : nil,
                name: "30th Anniversary Tour \(i)", subTopicIds: [337_184_269, 337_184_283], subjectCode: nil, subtitle: nil,
                topicIds: [324_846_099, 107_888_604])
        }
        var performances: [Performance] = []
        for i in 0..<243 {
            var prices: [Price] = []
            for _ in 0..<(2 + random.below(8)) {
                let amount = UInt32(90_250 + random.below(1000))
                prices.append(
                    Price(
                        amount: amount, audienceSubCategoryId: 337_100_890, seatCategoryId: UInt32(338_937_295 + random.below(99))
                    ))
            }
            var categories: [SeatCategory] = []
            for _ in 0..<(2 + random.below(6)) {
                var areas: [Area] = []
                for _ in 0..<(4 + random.below(12)) {
                    areas.append(Area(areaId: UInt32(205_705_993 + random.below(20)), blockIds: []))
                }
                categories.append(SeatCategory(areas: areas, seatCategoryId: UInt32(338_937_235 + random.below(99))))
            }
            performances.append(
                Performance(
                    eventId: UInt32(138_586_000 + i % 184), id: UInt32(339_887_544 + i), logo: nil, name: nil, prices: prices,
                    seatCategories: categories, seatMapImage: nil, start: 1_372_701_600_000 + UInt64(i) * 86_400_000,
                    venueCode: "PLEYEL_PLEYEL"))
        }
        var topics: [String: [UInt32]] = [:]
        for i in 107_888_604..<107_888_608 { topics[String(i)] = [337_184_268, 337_184_283, 337_184_275] }
        return Catalog(
            areaNames: names(17, "Arrière-scène", &random), audienceSubCategoryNames: ["337100890": "Abonné"], blockNames: [:],
            events: events, performances: performances,
            seatCategoryNames: names(64, "catégorie", &random), subTopicNames: names(19, "Musique de chambre", &random),
            subjectNames: [:],
            topicNames: names(4, "Activité", &random),
            topicSubTopics: topics,
            venueNames: ["PLEYEL_PLEYEL": "Salle Pleyel"])
    }

    /// As twitter.json: long texts in Japanese, wide objects, many Booleans and nulls.
    public static func twitter() -> Twitter {
        var random = Random(seed: 3)
        let kana = Array("あいうえおかきくけこさしすせそたちつてとなにぬねの名前日本語東京都新聞社会")
        func text(_ count: Int, _ random: inout Random) -> String { String((0..<count).map { _ in random.pick(kana) }) }
        func user(_ i: Int, _ random: inout Random) -> User {
            let id = UInt32(1_186_275_104 + i)
            return User(
                id: id, id_str: NumberText(id), name: "AYUMI\(i)", screen_name: "ayuu0123_\(i)",
                location: i % 2 == 0 ? "" : text(4, &random),
                description: text(60, &random), url: i % 3 == 0 ? "http://t.co/QMLJeFmfMT" : nil,
                entities: UserEntities(url: nil, description: Links(urls: [])), protected: false,
                followers_count: UInt32(random.below(9999)),
                friends_count: UInt32(random.below(9999)), listed_count: 2, created_at: "Sat Feb 16 13:46:25 +0000 2013",
                favourites_count: UInt32(random.below(999)), utc_offset: i % 2 == 0 ? nil : 32400,
                time_zone: i % 2 == 0 ? nil : "Tokyo", geo_enabled: false,
                verified: false, statuses_count: UInt32(random.below(99999)), lang: .ja, contributors_enabled: false,
                is_translator: false,
                is_translation_enabled: false, profile_background_color: Color(rgb: 0xC0DEED),
                profile_background_image_url: "http://abs.twimg.com/images/themes/theme1/bg.png",
                profile_background_image_url_https: "https://abs.twimg.com/images/themes/theme1/bg.png",
                profile_background_tile: false,
                profile_image_url: "http://pbs.twimg.com/profile_images/497760886795153410/LDjAwR_y_normal.jpeg",
                profile_image_url_https: "https://pbs.twimg.com/profile_images/497760886795153410/LDjAwR_y_normal.jpeg",
                profile_banner_url: "https://pbs.twimg.com/profile_banners/1186275104/1409318784",
                profile_link_color: Color(rgb: 0x0084B4),
                profile_sidebar_border_color: Color(rgb: 0xC0DEED), profile_sidebar_fill_color: Color(rgb: 0xDDEEF6),
                profile_text_color: Color(rgb: 0x333333), profile_use_background_image: true, default_profile: true,
                default_profile_image: false,
                following: false, follow_request_sent: false, notifications: false)
        }
        func status(_ i: Int, _ random: inout Random, _ retweets: Bool) -> Status {
            let id = 505_874_924_095_815_681 + UInt64(i)
            return Status(
                metadata: Metadata(result_type: .recent, iso_language_code: .ja), created_at: "Sun Aug 31 00:29:15 +0000 2014",
                id: id,
                id_str: NumberText(id), text: "@aym0566x \n\n" + text(80, &random),
                source: "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
                truncated: false,
                in_reply_to_status_id: nil, in_reply_to_status_id_str: nil, in_reply_to_user_id: i % 2 == 0 ? nil : 866_260_188,
                in_reply_to_user_id_str: i % 2 == 0 ? nil : NumberText(866_260_188),
                in_reply_to_screen_name: i % 2 == 0 ? nil : "aym0566x",
                user: user(i, &random), geo: nil, coordinates: nil, place: nil, contributors: nil,
                retweeted_status: retweets ? RetweetedStatus(status(i + 1000, &random, false)) : nil, retweet_count: 0,
                favorite_count: 0,
                entities: StatusEntities(
                    hashtags: [], symbols: [], urls: [],
                    user_mentions: [
                        UserMention(
                            screen_name: "aym0566x", name: text(8, &random), id: 866_260_188, id_str: NumberText(866_260_188),
                            indices: Indices(first: 0, last: 9))
                    ], media: nil), favorited: false, retweeted: false, possibly_sensitive: nil, lang: .ja)
        }
        return Twitter(
            statuses: (0..<100).map { status($0, &random, $0 % 4 != 0) },
            search_metadata: SearchMetadata(
                completed_in: 0.087, max_id: 505_874_924_095_815_700, max_id_str: NumberText(505_874_924_095_815_700),
                next_results: "?max_id=505874847260352512&q=%E4%B8%80&count=100&include_entities=1", query: "%E4%B8%80",
                refresh_url: "?since_id=505874924095815681&q=%E4%B8%80&include_entities=1", count: 100, since_id: 0,
                since_id_str: NumberText(0)))
    }

    public static func integers() -> [Int] {
        var random = Random(seed: 4)
        return (0..<50_000).map { _ in random.below(2_000_000) - 1_000_000 }
    }

    public static func doubles() -> [Double] {
        var random = Random(seed: 5)
        return (0..<50_000).map { _ in Double(random.below(1 << 50)) / Double(1 << 40) }
    }

    public static func strings() -> [String] {
        var random = Random(seed: 6)
        return (0..<50_000).map { "string number \($0) of \(random.below(1_000_000))" }
    }

    public static func dictionary() -> [String: Int] {
        var values: [String: Int] = [:]
        for i in 0..<50_000 { values["key_\(i)"] = i * 3 }
        return values
    }
}
