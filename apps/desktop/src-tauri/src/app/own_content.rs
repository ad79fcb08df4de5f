// What the page has made itself can be saved and is never shown: the window would have left the page. Saving
// begins like going there, so going there is let through, and turned into saving here.

use tauri::WebviewWindow;
use webkit2gtk::glib::prelude::Cast;
use webkit2gtk::{
    PolicyDecisionExt, PolicyDecisionType, ResponsePolicyDecision, ResponsePolicyDecisionExt,
    URIRequestExt, WebViewExt,
};

use crate::log::say;

pub fn follow(window: &WebviewWindow) {
    let followed = window.with_webview(|webview| {
        webview.inner().connect_decide_policy(|_, decision, kind| {
            let response = decision.downcast_ref::<ResponsePolicyDecision>();
            let Some(response) = response.filter(|_| kind == PolicyDecisionType::Response) else {
                return false;
            };
            let uri = response.request().and_then(|request| request.uri());
            let is_own = uri.is_some_and(|uri| uri.starts_with("blob:"));
            if is_own {
                decision.download();
            }
            is_own
        });
    });
    if let Err(error) = followed {
        say(&format!(
            "hawser: what the page saves would be shown: {error}"
        ));
    }
}
